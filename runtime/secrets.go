package runtime

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// Secrets gives the values of the secrets that a contract names. NewReceiver reads all
// of them once and refuses to start without. A provider whose values change at
// run time also implements Dynamic. An error's text may name the secret, never
// its value.
type Secrets interface {
	Secret(ctx context.Context, name string) (string, error)
}

// Dynamic marks a Secrets provider that is asked again for each request. If it
// fails or panics then, the delivery is `failed`, and the sender delivers again.
// At start its failure is a warning only: nothing is accepted until it answers.
type Dynamic interface {
	Secrets
	Dynamic()
}

// EnvSecrets reads secrets from environment variables of their names.
func EnvSecrets() Secrets { return envSecrets{} }

type envSecrets struct{}

func (envSecrets) Secret(_ context.Context, name string) (string, error) {
	v, ok := os.LookupEnv(name)
	if !ok {
		return "", fmt.Errorf("environment variable %s is not set", name)
	}
	return v, nil
}

// FileSecrets reads secrets from files in dir that bear their names, as
// container platforms mount them. One final line end belongs to the file, not
// to the secret; any other white space around it refuses the start.
func FileSecrets(dir string) Secrets { return fileSecrets(dir) }

type fileSecrets string

func (d fileSecrets) Secret(_ context.Context, name string) (string, error) {
	if name == "" || strings.ContainsAny(name, `/\`) || strings.HasPrefix(name, ".") {
		return "", fmt.Errorf("secret name %q is no file name", name)
	}
	b, err := os.ReadFile(filepath.Join(string(d), name))
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
		return "", fmt.Errorf("secret %s is not given", name)
	}
	return v, nil
}

// Settings gives the values of the ${NAME} settings of a contract, read once by NewReceiver.
type Settings interface {
	Setting(ctx context.Context, name string) (string, error)
}

// EnvSettings reads settings from environment variables, which is what nil means.
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
