package spec

import (
	"fmt"
	"slices"
	"strings"
)

func contains(all []string, one string) bool { return slices.Contains(all, one) }

// didYouMean is a hint that names the nearest of the known names, "" where
// none is near enough to be a slip of the hand.
func didYouMean(got string, known []string) string {
	if best := nearest(got, known); best != "" {
		return fmt.Sprintf("did you mean %q?", best)
	}
	return ""
}

func nearest(got string, known []string) string {
	best, least := "", 1+max(1, len(got)/3)
	for _, name := range known {
		if d := distance(strings.ToLower(got), strings.ToLower(name)); d < least {
			best, least = name, d
		}
	}
	return best
}

// distance is the number of single letters to change, add, drop or swap with
// their neighbour.
func distance(a, b string) int {
	if len(a) > 64 || len(b) > 64 {
		return 1 << 10
	}
	x, y := []rune(a), []rune(b)
	rows := make([][]int, len(x)+1)
	for i := range rows {
		rows[i] = make([]int, len(y)+1)
		rows[i][0] = i
	}
	for j := range rows[0] {
		rows[0][j] = j
	}
	for i := 1; i <= len(x); i++ {
		for j := 1; j <= len(y); j++ {
			cost := 1
			if x[i-1] == y[j-1] {
				cost = 0
			}
			d := min(rows[i-1][j]+1, rows[i][j-1]+1, rows[i-1][j-1]+cost)
			if i > 1 && j > 1 && x[i-1] == y[j-2] && x[i-2] == y[j-1] {
				d = min(d, rows[i-2][j-2]+1)
			}
			rows[i][j] = d
		}
	}
	return rows[len(x)][len(y)]
}

// list joins names for a message: a, b or c.
func list(names []string, last string) string {
	if len(names) < 2 {
		return strings.Join(names, "")
	}
	return strings.Join(names[:len(names)-1], ", ") + " " + last + " " + names[len(names)-1]
}
