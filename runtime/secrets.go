package runtime

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"
)

// Secrets gives the values of the secrets that a contract names. NewReceiver reads all
// of them once and refuses to start without. A provider whose values change at
// run time also implements Rereading or Dynamic. An error's text may name the
// secret, never its value; for a secret that is not there it wraps ErrNoSecret.
type Secrets interface {
	Secret(ctx context.Context, name string) (string, error)
}

// ErrNoSecret says that a provider has no secret of the name. Where the name
// has a tenant in it, the tenant is unknown then.
var ErrNoSecret = errors.New("there is no such secret")

// missing is an ErrNoSecret with its own words.
type missing string

func (m missing) Error() string { return string(m) }

func (m missing) Is(target error) bool { return target == ErrNoSecret }

// Dynamic marks a Secrets provider that is asked again for each request. If it
// fails or panics then, the delivery is `failed`, and the sender delivers again.
// At start its failure is a warning only: nothing is accepted until it answers.
type Dynamic interface {
	Secrets
	Dynamic()
}

// Rereading marks a Secrets provider that is asked again when some time has
// passed, such as one that reads files: a secret is changed without a restart.
// What cannot be read then, or is no valid secret, leaves the values of before
// in force, and is a warning.
type Rereading interface {
	Secrets
	Reread() time.Duration
}

// fileAge is how long what was read from a file holds.
const fileAge = time.Second

// EnvSecrets reads secrets from environment variables of their names; or, where
// NAME_FILE is set instead, from the file that it names, again every second.
// One final line end belongs to the file, not to the secret.
func EnvSecrets() Secrets { return envSecrets{} }

type envSecrets struct{}

func (envSecrets) Secret(_ context.Context, name string) (string, error) {
	v, ok := os.LookupEnv(name)
	file, isFile := os.LookupEnv(name + "_FILE")
	switch {
	case ok && isFile:
		return "", fmt.Errorf("environment variables %s and %s_FILE are both set", name, name)
	case isFile:
		return readSecret(file, name)
	case !ok:
		return "", missing("environment variable " + name + " is not set")
	}
	return v, nil
}

// Reread implements Rereading.
func (envSecrets) Reread() time.Duration { return fileAge }

// Tenants implements TenantLister.
func (envSecrets) Tenants(_ context.Context, name string) ([]string, error) {
	var all []string
	for _, line := range os.Environ() {
		found, _, _ := strings.Cut(line, "=")
		if t, ok := tenantOf(name, strings.TrimSuffix(found, "_FILE")); ok {
			all = append(all, t)
		}
	}
	return all, nil
}

// FileSecrets reads secrets from files in dir that bear their names, as
// container platforms mount them, again every second. One final line end
// belongs to the file, not to the secret; any other white space around it
// refuses the start.
func FileSecrets(dir string) Secrets { return fileSecrets(dir) }

type fileSecrets string

func (d fileSecrets) Secret(_ context.Context, name string) (string, error) {
	if name == "" || strings.ContainsAny(name, `/\`) || strings.HasPrefix(name, ".") {
		return "", fmt.Errorf("secret name %q is no file name", name)
	}
	return readSecret(filepath.Join(string(d), name), name)
}

// Reread implements Rereading.
func (fileSecrets) Reread() time.Duration { return fileAge }

// Tenants implements TenantLister.
func (d fileSecrets) Tenants(_ context.Context, name string) ([]string, error) {
	files, err := os.ReadDir(string(d))
	if err != nil {
		return nil, fmt.Errorf("list the folder of secrets: %w", err)
	}
	var all []string
	for _, f := range files {
		if t, ok := tenantOf(name, f.Name()); ok && !f.IsDir() {
			all = append(all, t)
		}
	}
	return all, nil
}

func readSecret(file, name string) (string, error) {
	b, err := os.ReadFile(file)
	if errors.Is(err, os.ErrNotExist) {
		return "", missing("there is no file for " + name + ": " + file)
	}
	if err != nil {
		return "", fmt.Errorf("read secret %s: %w", name, err)
	}
	v, cut := strings.CutSuffix(string(b), "\n")
	if cut {
		v = strings.TrimSuffix(v, "\r")
	}
	return v, nil
}

// SecretsMap holds secrets by name: for tests, and for providers that load
// everything at start. It must not be changed once NewReceiver has it.
type SecretsMap map[string]string

// Secret gives the value of name.
func (m SecretsMap) Secret(_ context.Context, name string) (string, error) {
	v, ok := m[name]
	if !ok {
		return "", missing("secret " + name + " is not given")
	}
	return v, nil
}

// Tenants implements TenantLister.
func (m SecretsMap) Tenants(_ context.Context, name string) ([]string, error) {
	var all []string
	for found := range m {
		if t, ok := tenantOf(name, found); ok {
			all = append(all, t)
		}
	}
	return all, nil
}

// Settings gives the values of the ${NAME} settings of a contract, read once by NewReceiver.
type Settings interface {
	Setting(ctx context.Context, name string) (string, error)
}

// EnvSettings reads settings from environment variables, or from the files that
// NAME_FILE names, which is what nil means.
func EnvSettings() Settings { return envSettings{} }

type envSettings struct{}

func (envSettings) Setting(ctx context.Context, name string) (string, error) {
	return envSecrets{}.Secret(ctx, name)
}

// SettingsMap holds settings by name.
type SettingsMap map[string]string

// Setting gives the value of name.
func (m SettingsMap) Setting(_ context.Context, name string) (string, error) {
	v, ok := m[name]
	if !ok {
		return "", fmt.Errorf("setting %s is not given", name)
	}
	return v, nil
}
