package explain

import (
	"fmt"
	"strings"
	"unicode/utf8"
)

// width is what the text form keeps to where words allow.
const width = 110

// Text writes the report for terminals.
func (r *Report) Text() []byte {
	var b strings.Builder
	for i, one := range pageOf(r) {
		if i > 0 {
			b.WriteByte('\n')
		}
		one.text(&b)
	}
	return []byte(b.String())
}

func bare(text string) string { return strings.NewReplacer(codeOn, "", codeOff, "").Replace(text) }

func (b block) text(w *strings.Builder) {
	switch {
	case b.heading != "":
		fmt.Fprintf(w, "%s\n", b.heading)
		if b.level < 3 {
			fmt.Fprintf(w, "%s\n", strings.Repeat(map[int]string{1: "=", 2: "-"}[b.level], utf8.RuneCountInString(b.heading)))
		}
	case b.para != "":
		indented(w, "  ", "  ", b.para)
	case b.list != nil:
		for _, item := range b.list {
			indented(w, "  - ", "    ", item)
		}
	case b.facts != nil:
		b.textFacts(w)
	case b.table != nil:
		b.textTable(w)
	default:
		for line := range strings.Lines(b.code) {
			w.WriteString("  " + line)
		}
	}
}

func indented(w *strings.Builder, first, next, text string) {
	for i, line := range wrap(bare(text), width-len(next)) {
		if i == 0 {
			w.WriteString(first)
		} else {
			w.WriteString(next)
		}
		w.WriteString(line + "\n")
	}
}

func (b block) textFacts(w *strings.Builder) {
	longest := 0
	for _, f := range b.facts {
		longest = max(longest, len(f[0]))
	}
	for _, f := range b.facts {
		indented(w, fmt.Sprintf("  %-*s  ", longest, f[0]), strings.Repeat(" ", longest+4), f[1])
	}
}

// textTable makes the widest columns narrower until the table fits, but never
// narrower than a word.
func (b block) textTable(w *strings.Builder) {
	widths, least := make([]int, len(b.table[0])), make([]int, len(b.table[0]))
	for _, row := range b.table {
		for c, cell := range row {
			widths[c] = max(widths[c], utf8.RuneCountInString(bare(cell)))
			for _, word := range strings.Fields(bare(cell)) {
				least[c] = max(least[c], utf8.RuneCountInString(word))
			}
		}
	}
	for sum(widths) > width {
		widest := -1
		for c := range widths {
			if widths[c] > least[c] && (widest < 0 || widths[c] > widths[widest]) {
				widest = c
			}
		}
		if widest < 0 {
			break
		}
		widths[widest]--
	}
	for _, row := range b.table {
		writeRow(w, row, widths)
	}
}

func sum(widths []int) int {
	total := 0
	for _, n := range widths {
		total += n + 2
	}
	return total
}

func writeRow(w *strings.Builder, row []string, widths []int) {
	cells, height := make([][]string, len(row)), 0
	for c, cell := range row {
		cells[c] = wrap(bare(cell), widths[c])
		height = max(height, len(cells[c]))
	}
	for i := range height {
		var line strings.Builder
		for c := range cells {
			text := ""
			if i < len(cells[c]) {
				text = cells[c][i]
			}
			line.WriteString("  " + text + strings.Repeat(" ", max(0, widths[c]-utf8.RuneCountInString(text))))
		}
		w.WriteString(strings.TrimRight(line.String(), " ") + "\n")
	}
}

// wrap breaks a text at blanks; a word that is longer than a line stays whole.
func wrap(text string, columns int) []string {
	var lines []string
	line := ""
	for _, word := range strings.Fields(text) {
		switch {
		case line == "":
			line = word
		case utf8.RuneCountInString(line)+1+utf8.RuneCountInString(word) <= columns:
			line += " " + word
		default:
			lines, line = append(lines, line), word
		}
	}
	if line != "" || len(lines) == 0 {
		lines = append(lines, line)
	}
	return lines
}
