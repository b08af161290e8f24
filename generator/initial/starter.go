package initial

import (
	"embed"
	"fmt"
	"strings"
)

//go:embed starter.openapi.yaml
var starter embed.FS

// Starter is a contract to begin with: it lints without findings and generates
// a receiver at once.
func Starter(source string) ([]byte, error) {
	text, err := starter.ReadFile("starter.openapi.yaml")
	if err != nil {
		return nil, fmt.Errorf("read the starter contract: %w", err)
	}
	replaced := strings.NewReplacer("SHOP_", strings.ToUpper(source)+"_", "source: shop ", "source: "+source+" ").Replace(string(text))
	return []byte(replaced), nil
}
