package rel

import (
	"fmt"
	"io/fs"
	"sort"
	"strings"
)

type functionTable struct {
	byName map[string]*Function
	sorted []*Function
}

// readTable reads all files of functions/ in fsys.
func readTable(fsys fs.FS) (*functionTable, error) {
	t := &functionTable{byName: map[string]*Function{}}
	names, err := fs.Glob(fsys, "functions/*.txt")
	if err != nil {
		return nil, err
	}
	for _, name := range names {
		text, err := fs.ReadFile(fsys, name)
		if err != nil {
			return nil, err
		}
		if err := t.read(name, string(text)); err != nil {
			return nil, err
		}
	}
	sort.Slice(t.sorted, func(i, j int) bool { return t.sorted[i].Name < t.sorted[j].Name })
	return t, nil
}

// read adds the blocks of one file. A line at the margin starts a function, indented ones tell of it, more
// deeply indented ones continue the line before.
func (t *functionTable) read(file, text string) error {
	var kind Kind
	var f *Function
	lines := joinLines(text)
	for _, l := range lines {
		var err error
		switch {
		case l.text[0] == '[':
			kind, err = parseKind(strings.Trim(l.text, "[]"))
		case l.text[0] != ' ':
			f = &Function{Kind: kind}
			err = t.name(f, strings.Fields(l.text))
		case f == nil:
			err = fmt.Errorf("no function yet")
		default:
			key, value, _ := strings.Cut(strings.TrimSpace(l.text), " ")
			err = f.set(key, strings.TrimSpace(value))
		}
		if err != nil {
			return fmt.Errorf("%s:%d: %w", file, l.number, err)
		}
	}
	return nil
}

type line struct {
	number int
	text   string
}

// joinLines drops comments and blank lines and joins continuations.
func joinLines(text string) []line {
	var out []line
	for i, s := range strings.Split(text, "\n") {
		s = strings.TrimRight(s, " \r")
		switch {
		case s == "" || strings.HasPrefix(strings.TrimSpace(s), "# "):
		case strings.HasPrefix(s, "    ") && len(out) > 0:
			out[len(out)-1].text += " " + strings.TrimSpace(s)
		default:
			out = append(out, line{i + 1, s})
		}
	}
	return out
}

func parseKind(s string) (Kind, error) {
	for k, name := range []string{"scalar", "aggregate", "window", "generator"} {
		if s == name {
			return Kind(k), nil
		}
	}
	return 0, fmt.Errorf("unknown kind %q", s)
}

func (t *functionTable) name(f *Function, names []string) error {
	f.Name, f.Aliases = names[0], names[1:]
	for _, n := range names {
		if t.byName[n] != nil {
			return fmt.Errorf("%s is there twice", n)
		}
		t.byName[n] = f
	}
	t.sorted = append(t.sorted, f)
	return nil
}

// set takes one indented line.
func (f *Function) set(key, value string) error {
	key, mode, _ := strings.Cut(key, "/")
	switch key {
	case "sig":
		if f.last != "sig" {
			f.group = len(f.sigs)
		}
		s, err := parseSignature(value)
		f.sigs = append(f.sigs, s)
		f.last = key
		return err
	case "duck":
		e := emission{mode, value}
		for i := f.group; i < len(f.sigs); i++ {
			f.sigs[i].emits = append(f.sigs[i].emits, e)
		}
		if len(f.sigs) == 0 {
			f.emits = append(f.emits, e)
		}
	case "rule":
		f.rule = value
	case "null":
		f.null = value
	case "random":
		f.Nondeterministic = true
	case "operator":
		f.Operator = true
	case "no":
		f.Unsupported = value
	case "doc":
		f.Usage = value
	case "eg":
		f.Example = value
	case "since":
		f.Since = value
	default:
		return fmt.Errorf("unknown key %q", key)
	}
	f.last = key
	return nil
}

// parseSignature reads "(a, [b], c...) -> result".
func parseSignature(s string) (signature, error) {
	var sig signature
	head, result, ok := cutLast(s, ") ->")
	if !ok || !strings.HasPrefix(head, "(") {
		return sig, fmt.Errorf("signature %q: want (types) -> result", s)
	}
	sig.result = strings.TrimSpace(result)
	body := strings.TrimSpace(head[1:])
	if body == "" {
		return sig.withResult()
	}
	for _, p := range splitTop(body, ',') {
		optional := strings.HasPrefix(p, "[")
		p = strings.TrimSuffix(strings.TrimPrefix(p, "["), "]")
		if strings.HasSuffix(p, "...") {
			sig.variadic, p = true, strings.TrimSuffix(p, "...")
		} else if !optional {
			sig.required++
		}
		pat, err := parsePattern(p)
		if err != nil {
			return sig, err
		}
		sig.params = append(sig.params, pat)
	}
	return sig.withResult()
}

// cutLast cuts s at the last sep outside lambda patterns, whose arrows have none of the signature's ")" before.
func cutLast(s, sep string) (before, after string, ok bool) {
	depth := 0
	for i := 0; i < len(s); i++ {
		switch s[i] {
		case '(':
			depth++
		case ')':
			if depth--; depth == 0 && strings.HasPrefix(s[i:], sep) {
				return s[:i], s[i+len(sep):], true
			}
		}
	}
	return s, "", false
}

func (sig signature) withResult() (signature, error) {
	if strings.HasPrefix(sig.result, "=") {
		if _, ok := resultRules[strings.Fields(sig.result[1:])[0]]; !ok {
			return sig, fmt.Errorf("unknown result rule %q", sig.result)
		}
		return sig, nil
	}
	p, err := parsePattern(sig.result)
	sig.pattern = p
	return sig, err
}

// fits reports whether args, cast as a resolution cast them, are those of sig.
func (sig signature) fits(args []Expr) bool {
	if !sig.takes(len(args)) {
		return false
	}
	for i, a := range args {
		if _, ok := a.(*Lambda); ok || sig.param(i).kind == lambdaType {
			continue
		}
		if !sig.param(i).accepts(a.Type()) {
			return false
		}
	}
	return true
}

// takes reports whether sig has a form of n arguments.
func (sig signature) takes(n int) bool {
	return n >= sig.required && (n <= len(sig.params) || sig.variadic)
}

// param is the pattern of argument i.
func (sig signature) param(i int) pattern { return sig.params[min(i, len(sig.params)-1)] }

// String is p as the table spells it.
func (p pattern) String() string {
	parts := make([]string, len(p.kids))
	for i, k := range p.kids {
		parts[i] = k.String()
	}
	switch p.kind {
	case exactType:
		return p.typ.String()
	case arrayType:
		return "array<" + parts[0] + ">"
	case mapType:
		return "map<" + parts[0] + "," + parts[1] + ">"
	case unionType:
		return strings.Join(parts, "|")
	case lambdaType:
		n := len(parts) - 1
		return "(" + strings.Join(parts[:n], ",") + ") -> " + parts[n]
	}
	return p.name
}
