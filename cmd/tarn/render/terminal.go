package render

import (
	"fmt"
	"strings"
	"unicode"
)

// style is a look of text on a terminal: the parameter of an SGR sequence (ECMA-48 8.3.117).
type style string

const (
	plain style = ""
	bold  style = "1"
	dim   style = "2"
	red   style = "31"
)

func (s style) on(text string) string {
	if s == plain {
		return text
	}
	return "\x1b[" + string(s) + "m" + text + "\x1b[0m"
}

// Alarm is text as an error shows it, red where there is colour.
func Alarm(text string, color bool) string {
	if color {
		return red.on(text)
	}
	return text
}

// Printable is s without anything that could steer a terminal. Data and error messages may hold what anybody wrote.
func Printable(s string) string { return printable(s) }

// printable keeps line ends, makes tabs blanks, and spells other control and direction characters.
func printable(s string) string {
	if strings.IndexFunc(s, hidden) < 0 {
		return s
	}
	var b strings.Builder
	for _, r := range strings.ReplaceAll(s, "\r\n", "\n") {
		switch {
		case r == '\t':
			b.WriteString("    ")
		case hidden(r) && r < 0x100:
			fmt.Fprintf(&b, `\x%02x`, r)
		case hidden(r):
			fmt.Fprintf(&b, `\u%04x`, r)
		default:
			b.WriteRune(r)
		}
	}
	return b.String()
}

// hidden tells the characters that must not reach a terminal as they are: control characters but for line ends, and
// those that change the direction of writing.
func hidden(r rune) bool {
	return r != '\n' && unicode.IsControl(r) || unicode.Is(unicode.Bidi_Control, r)
}

// Title is text as a heading shows it, bold where there is colour.
func Title(text string, color bool) string {
	if color {
		return bold.on(text)
	}
	return text
}

// Quiet is text that stands back, dim where there is colour.
func Quiet(text string, color bool) string {
	if color {
		return dim.on(text)
	}
	return text
}
