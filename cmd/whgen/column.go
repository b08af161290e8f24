package main

import (
	"bytes"
	"os"
	"path/filepath"
	"unicode/utf8"

	"github.com/whgen/whgen/spec"
)

// columns turns the columns of findings, which count bytes, into Unicode code
// points. It reads each file once; its zero value is ready.
type columns struct {
	files map[string][][]byte // lines by file, nil where it cannot be read
}

// codePoint is a position's column in code points from 1; 0 where it cannot be
// known, because there is no such line any more. A byte order mark is no part of
// the text, and a byte that is not UTF-8 counts as one.
func (c *columns) codePoint(p spec.Pos) int {
	lines, read := c.files[p.File]
	if !read {
		lines = linesOf(p.File)
		if c.files == nil {
			c.files = map[string][][]byte{}
		}
		c.files[p.File] = lines
	}
	if p.Column < 1 || p.Line < 1 || p.Line > len(lines) || p.Column-1 > len(lines[p.Line-1]) {
		return 0
	}
	return utf8.RuneCount(lines[p.Line-1][:p.Column-1]) + 1
}

// linesOf splits at \n, \r\n and \r, as the positions of findings do.
func linesOf(file string) [][]byte {
	text, err := os.ReadFile(filepath.FromSlash(file))
	if err != nil {
		return nil
	}
	text = bytes.TrimPrefix(text, []byte("\xef\xbb\xbf"))
	text = bytes.ReplaceAll(text, []byte("\r\n"), []byte("\n"))
	text = bytes.ReplaceAll(text, []byte("\r"), []byte("\n"))
	return bytes.Split(text, []byte("\n"))
}
