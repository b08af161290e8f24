package explain

import "strings"

// page is a text of headings, facts, tables and so on, before it is written
// for terminals or as Markdown.
type page []block

// block is one part of a page; exactly one of the members is set.
type block struct {
	heading string
	level   int // of heading, from 1
	para    string
	list    []string
	facts   [][2]string // label and text
	table   [][]string  // the first row is the header
	code    string
	lang    string // of code
}

func (p *page) heading(level int, text string) { *p = append(*p, block{heading: text, level: level}) }

func (p *page) para(text string) { *p = append(*p, block{para: text}) }

func (p *page) list(items []string) {
	if len(items) > 0 {
		*p = append(*p, block{list: items})
	}
}

// facts leaves out those without a text.
func (p *page) facts(all ...[2]string) {
	var said [][2]string
	for _, f := range all {
		if f[1] != "" {
			said = append(said, f)
		}
	}
	if len(said) > 0 {
		*p = append(*p, block{facts: said})
	}
}

// table leaves out columns that are empty in every row.
func (p *page) table(header []string, rows [][]string) {
	if len(rows) == 0 {
		return
	}
	all := append([][]string{header}, rows...)
	kept := make([][]string, len(all))
	for c := range header {
		said := false
		for _, row := range rows {
			said = said || row[c] != ""
		}
		for i, row := range all {
			if said {
				kept[i] = append(kept[i], row[c])
			}
		}
	}
	*p = append(*p, block{table: kept})
}

func (p *page) code(lang, text string) { *p = append(*p, block{code: text, lang: lang}) }

// Marks around a word of code inside a text: Markdown writes it in backticks,
// a terminal as it is.
const (
	codeOn  = "\x01"
	codeOff = "\x02"
)

func code(text string) string {
	if text == "" {
		return ""
	}
	return codeOn + unmark(text) + codeOff
}

func codes(all []string) string {
	marked := make([]string, len(all))
	for i, one := range all {
		marked[i] = code(one)
	}
	return strings.Join(marked, ", ")
}

// unmark takes marks and line ends out of a text that comes from a document.
func unmark(text string) string {
	return strings.NewReplacer(codeOn, "", codeOff, "", "\r", "", "\n", " ").Replace(text)
}

func yes(b bool, text string) string {
	if b {
		return text
	}
	return ""
}
