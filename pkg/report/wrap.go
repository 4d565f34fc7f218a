package report

import (
	"strings"
	"unicode/utf8"
)

// wrapped breaks text at spaces into lines of at most width runes; a word that is longer is broken too.
func wrapped(text string, width int) []string {
	width = max(1, width)
	var lines []string
	var line string
	for _, word := range strings.Fields(text) {
		for _, part := range pieces(word, width) {
			switch {
			case line == "":
				line = part
			case utf8.RuneCountInString(line)+1+utf8.RuneCountInString(part) <= width:
				line += " " + part
			default:
				lines = append(lines, line)
				line = part
			}
		}
	}
	return append(lines, line)
}

func pieces(word string, width int) []string {
	runes := []rune(word)
	var parts []string
	for len(runes) > width {
		parts = append(parts, string(runes[:width]))
		runes = runes[width:]
	}
	return append(parts, string(runes))
}

// table lines up columns: the first two to the left, all others to the right.
func table(rows [][]string) []string {
	widths := make([]int, len(rows[0]))
	for _, row := range rows {
		for i, cell := range row {
			widths[i] = max(widths[i], utf8.RuneCountInString(cell))
		}
	}
	lines := make([]string, len(rows))
	for r, row := range rows {
		for i, cell := range row {
			pad := strings.Repeat(" ", widths[i]-utf8.RuneCountInString(cell))
			if i < 2 {
				row[i] = cell + pad
			} else {
				row[i] = pad + cell
			}
		}
		lines[r] = strings.TrimRight(strings.Join(row, "  "), " ")
	}
	return lines
}

func fits(lines []string, width int) bool {
	for _, l := range lines {
		if utf8.RuneCountInString(l) > width {
			return false
		}
	}
	return true
}
