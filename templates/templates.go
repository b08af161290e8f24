package templates

import (
	"embed"
	"fmt"
	"strings"
	"text/template"
)

//go:embed postgres/*.tmpl pgsql/*.tmpl sqlite/*.tmpl acceptance/*.tmpl scaffold/*.tmpl
var files embed.FS

// Render executes a template, such as "postgres/init.sql.tmpl", with data. The
// error is a fault of the template or of the data, never of a contract.
func Render(name string, data any) ([]byte, error) {
	text, err := files.ReadFile(name)
	if err != nil {
		return nil, fmt.Errorf("read template %s: %w", name, err)
	}
	t, err := template.New(name).Option("missingkey=error").Parse(string(text))
	if err != nil {
		return nil, fmt.Errorf("parse template %s: %w", name, err)
	}
	var b strings.Builder
	if err := t.Execute(&b, data); err != nil {
		return nil, fmt.Errorf("execute template %s: %w", name, err)
	}
	return []byte(b.String()), nil
}
