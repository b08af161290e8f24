package generator

import (
	"fmt"
	"strings"
	"time"
)

// Duration is a duration as contracts write it: whole days or hours, minutes
// and seconds where that stays below three digits or so, else Go's form.
func Duration(d time.Duration) string {
	for _, unit := range []struct {
		size, below time.Duration
		name        string
	}{
		{24 * time.Hour, 1 << 62, "d"}, {time.Hour, 1 << 62, "h"},
		{time.Minute, 2 * time.Hour, "m"}, {time.Second, 2 * time.Minute, "s"},
	} {
		if d >= unit.size && d%unit.size == 0 && d < unit.below {
			return fmt.Sprintf("%d%s", d/unit.size, unit.name)
		}
	}
	if d >= time.Minute && d%time.Minute == 0 {
		return strings.TrimSuffix(d.String(), "0s")
	}
	return d.String()
}
