package explain

import (
	"fmt"
	"strings"
)

// Markdown writes the report for reviews: GitHub-flavoured, the diagram as a
// Mermaid block. Each receiver starts with a heading of the first level.
func (r *Report) Markdown() []byte {
	var b strings.Builder
	for i, one := range pageOf(r) {
		if i > 0 {
			b.WriteByte('\n')
		}
		one.markdown(&b)
	}
	return []byte(b.String())
}

func (b block) markdown(w *strings.Builder) {
	switch {
	case b.heading != "":
		fmt.Fprintf(w, "%s %s\n", strings.Repeat("#", b.level), escape(b.heading))
	case b.para != "":
		fmt.Fprintf(w, "%s\n", escape(b.para))
	case b.list != nil:
		for _, item := range b.list {
			fmt.Fprintf(w, "- %s\n", escape(item))
		}
	case b.facts != nil:
		for _, f := range b.facts {
			fmt.Fprintf(w, "- **%s:** %s\n", f[0], escape(f[1]))
		}
	case b.table != nil:
		b.markdownTable(w)
	default:
		fmt.Fprintf(w, "```%s\n%s```\n", b.lang, b.code)
	}
}

func (b block) markdownTable(w *strings.Builder) {
	for i, row := range b.table {
		for _, cell := range row {
			fmt.Fprintf(w, "| %s ", strings.ReplaceAll(escape(cell), "|", `\|`))
		}
		w.WriteString("|\n")
		if i == 0 {
			w.WriteString(strings.Repeat("|---", len(row)) + "|\n")
		}
	}
}

// escape writes marked code in backticks, and takes the meaning from what
// Markdown would read in the rest.
func escape(text string) string {
	var b strings.Builder
	for text != "" {
		plain, rest, found := strings.Cut(text, codeOn)
		b.WriteString(markdownPlain.Replace(plain))
		if !found {
			break
		}
		var inside string
		inside, text, _ = strings.Cut(rest, codeOff)
		fence := "`"
		for strings.Contains(inside, fence) {
			fence += "`"
		}
		if strings.HasPrefix(inside, "`") || strings.HasSuffix(inside, "`") {
			inside = " " + inside + " "
		}
		b.WriteString(fence + inside + fence)
	}
	return b.String()
}

var markdownPlain = strings.NewReplacer("\\", "\\\\", "`", "\\`", "*", "\\*", "_", "\\_", "<", "&lt;", "[", "\\[")
