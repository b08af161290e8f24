package sqlcrun

import (
	"os"
	"path/filepath"

	"github.com/sqlc-dev/sqlc/pkg/cli"
)

// childVariable makes the process that finds it set a run of sqlc.
const childVariable = "WHGEN_SQLC_CHILD"

func init() {
	if os.Getenv(childVariable) == "1" {
		os.Exit(child(os.Args[1:]))
	}
}

// child runs sqlc in each folder. One process for all of them: without cgo the
// parser of PostgreSQL takes a second to start, once.
func child(folders []string) int {
	for _, folder := range folders {
		if err := os.Chdir(folder); err != nil {
			println(err.Error())
			return 1
		}
		if code := cli.Run([]string{"generate", "--no-remote", "--file", filepath.Join(folder, "sqlc.yaml")}); code != 0 {
			return code
		}
	}
	return 0
}
