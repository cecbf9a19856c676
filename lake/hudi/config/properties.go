package config

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"
	"unicode/utf16"
	"unicode/utf8"
)

// Properties are keys and values as in a file of Java's java.util.Properties.
type Properties map[string]string

// Parse reads the text of a properties file as Java does: of a key that comes twice, the last value stays.
func Parse(text []byte) (Properties, error) {
	p := Properties{}
	for n, rest := 1, latin1(text); rest != ""; {
		var line string
		start := n
		line, rest, n = logicalLine(rest, n)
		if line == "" {
			continue
		}
		key, value := splitLine(line)
		k, err := unescape(key)
		if err != nil {
			return nil, fmt.Errorf("line %d: %w", start, err)
		}
		v, err := unescape(value)
		if err != nil {
			return nil, fmt.Errorf("line %d: %w", start, err)
		}
		p[k] = v
	}
	return p, nil
}

// latin1 is the text of bytes in ISO-8859-1.
func latin1(b []byte) string {
	var s strings.Builder
	s.Grow(len(b))
	for _, c := range b {
		s.WriteRune(rune(c))
	}
	return s.String()
}

const blank = " \t\f"

// logicalLine takes one line with its continuations off text. Comments and blank lines are "". n counts natural lines.
func logicalLine(text string, n int) (line, rest string, next int) {
	natural, rest := naturalLine(text)
	n++
	line = strings.TrimLeft(natural, blank)
	if line == "" || line[0] == '#' || line[0] == '!' {
		return "", rest, n
	}
	if !continues(line) {
		return line, rest, n
	}
	var whole strings.Builder
	for continues(line) {
		whole.WriteString(line[:len(line)-1])
		if rest == "" {
			return whole.String(), "", n
		}
		natural, rest = naturalLine(rest)
		n++
		line = strings.TrimLeft(natural, blank)
	}
	whole.WriteString(line)
	return whole.String(), rest, n
}

func naturalLine(text string) (line, rest string) {
	i := strings.IndexAny(text, "\r\n")
	if i < 0 {
		return text, ""
	}
	end := i + 1
	if strings.HasPrefix(text[i:], "\r\n") {
		end++
	}
	return text[:i], text[end:]
}

// continues says whether a line ends with an odd number of backslashes.
func continues(line string) bool {
	return (len(line)-len(strings.TrimRight(line, `\`)))%2 == 1
}

// splitLine parts a logical line at the first blank, '=' or ':' that no backslash stands before.
func splitLine(line string) (key, value string) {
	i := 0
	for ; i < len(line) && !strings.ContainsRune(blank+"=:", rune(line[i])); i++ {
		if line[i] == '\\' {
			i++
		}
	}
	i = min(i, len(line))
	value = strings.TrimLeft(line[i:], blank)
	if value != "" && (value[0] == '=' || value[0] == ':') {
		value = strings.TrimLeft(value[1:], blank)
	}
	return line[:i], value
}

// unescape resolves backslashes. Halves of surrogate pairs come together.
func unescape(s string) (string, error) {
	if !strings.Contains(s, `\`) {
		return s, nil
	}
	var units []uint16
	for i := 0; i < len(s); {
		r, size := utf8.DecodeRuneInString(s[i:])
		i += size
		if r != '\\' || i == len(s) {
			if r != '\\' {
				units = utf16.AppendRune(units, r)
			}
			continue
		}
		r, size = utf8.DecodeRuneInString(s[i:])
		i += size
		if r == 'u' {
			unit, err := hex4(s[i:])
			if err != nil {
				return "", err
			}
			units = append(units, unit)
			i += 4
			continue
		}
		units = utf16.AppendRune(units, plain(r))
	}
	return string(utf16.Decode(units)), nil
}

func plain(r rune) rune {
	switch r {
	case 't':
		return '\t'
	case 'n':
		return '\n'
	case 'r':
		return '\r'
	case 'f':
		return '\f'
	}
	return r
}

func hex4(s string) (unit uint16, err error) {
	if len(s) < 4 {
		return 0, fmt.Errorf(`\u%s needs four hexadecimal digits`, s)
	}
	for _, c := range []byte(s[:4]) {
		d := strings.IndexByte("0123456789abcdef", c|0x20)
		if d < 0 {
			return 0, fmt.Errorf(`\u%s needs four hexadecimal digits`, s[:4])
		}
		unit = unit<<4 | uint16(d)
	}
	return unit, nil
}

// Format is the text of the file as Java writes it, headed by the comment and the time. Keys are sorted; the checksum comes
// last, so that a file that was cut short lacks it.
func (p Properties) Format(comment string, at time.Time) []byte {
	var b strings.Builder
	b.WriteString("#" + comment + "\n#" + at.UTC().Format("Mon Jan 02 15:04:05 UTC 2006") + "\n")
	line := func(key string) { b.WriteString(escape(key, true) + "=" + escape(p[key], false) + "\n") }
	for _, key := range slices.Sorted(maps.Keys(p)) {
		if key != keyChecksum {
			line(key)
		}
	}
	if _, ok := p[keyChecksum]; ok {
		line(keyChecksum)
	}
	return []byte(b.String())
}

// escape writes s so that Parse gives it back. In keys all spaces are escaped, in values a leading one.
func escape(s string, key bool) string {
	var b strings.Builder
	for i, r := range s {
		switch {
		case r == ' ' && (key || i == 0):
			b.WriteString(`\ `)
		case r == '\t':
			b.WriteString(`\t`)
		case r == '\n':
			b.WriteString(`\n`)
		case r == '\r':
			b.WriteString(`\r`)
		case r == '\f':
			b.WriteString(`\f`)
		case strings.ContainsRune(`\=:#!`, r):
			b.WriteByte('\\')
			b.WriteRune(r)
		case r < ' ' || r > '~':
			for _, unit := range utf16.AppendRune(nil, r) {
				fmt.Fprintf(&b, `\u%04X`, unit)
			}
		default:
			b.WriteRune(r)
		}
	}
	return b.String()
}
