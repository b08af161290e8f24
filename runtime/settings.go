package runtime

import (
	"context"
	"errors"
	"fmt"
	"strings"
)

// readSettings reads every setting of a definition, or says all that is wrong.
func readSettings(ctx context.Context, list []Setting, from Settings) (map[string]string, error) {
	values := map[string]string{}
	var problems []error
	for _, s := range list {
		v, err := readSetting(ctx, s, from)
		if err != nil {
			problems = append(problems, err)
			continue
		}
		values[s.Name] = v
	}
	return values, errors.Join(problems...)
}

func readSetting(ctx context.Context, s Setting, from Settings) (v string, err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("read setting %s: the provider panicked: %T", s.Name, p)
		}
	}()
	v, err = from.Setting(ctx, s.Name)
	switch {
	case err != nil:
		return "", fmt.Errorf("read setting %s: %w", s.Name, err)
	case v == "":
		return "", fmt.Errorf("setting %s is empty", s.Name)
	case v != strings.TrimSpace(v) || strings.HasPrefix(v, "\uFEFF"):
		return "", fmt.Errorf("setting %s has outer white space", s.Name)
	case strings.ContainsAny(v, "\r\n\x00"):
		return "", fmt.Errorf("setting %s has a line end or a NUL in it", s.Name)
	}
	return v, nil
}
