package keygen

import (
	"errors"
	"fmt"
	"regexp"
	"strings"

	"github.com/tarn-lake/tarn/rel"
	"github.com/tarn-lake/tarn/types"
)

// The prefixes of the settings, the newer first.
var timePrefixes = []string{"hoodie.keygen.timebased.", "hoodie.deltastreamer.keygen.timebased.", "hoodie.streamer.keygen.timebased."}

// timeFormat makes folders of times.
type timeFormat struct {
	kind       string
	multiply   int64 // milliseconds of one unit, or
	divide     int64 // units of one millisecond
	input      []string
	inputZone  string // "" when none is given
	output     string
	outputZone string
}

// units are the names of Java's TimeUnit.
var units = map[string]struct{ multiply, divide int64 }{
	"NANOSECONDS": {1, 1_000_000}, "MICROSECONDS": {1, 1000}, "MILLISECONDS": {1, 1}, "SECONDS": {1000, 1},
	"MINUTES": {60_000, 1}, "HOURS": {3_600_000, 1}, "DAYS": {86_400_000, 1},
}

// TimeSettings are the settings among p that a TIMESTAMP or CUSTOM generator needs and tables keep, under the names given.
func TimeSettings(p map[string]string) map[string]string {
	out := map[string]string{}
	for k, v := range p {
		for _, prefix := range timePrefixes {
			if strings.HasPrefix(k, prefix) {
				out[k] = v
			}
		}
	}
	return out
}

func newTimeFormat(p map[string]string) (*timeFormat, error) {
	get := func(name string) string {
		for _, prefix := range timePrefixes {
			if v := p[prefix+name]; v != "" {
				return v
			}
		}
		return ""
	}
	f := &timeFormat{kind: strings.ToUpper(get("timestamp.type")), output: get("output.dateformat"),
		inputZone: get("input.timezone"), outputZone: get("output.timezone")}
	if zone := get("timezone"); zone != "" {
		f.inputZone, f.outputZone = zone, zone
	}
	if f.kind == "" || f.output == "" {
		return nil, errors.New("the key generator needs hoodie.keygen.timebased.timestamp.type and hoodie.keygen.timebased.output.dateformat; " +
			"older tables do not keep the first: give it as an option of the write")
	}
	unit := ""
	switch f.kind {
	case "UNIX_TIMESTAMP":
		unit = "SECONDS"
	case "EPOCHMILLISECONDS":
		unit = "MILLISECONDS"
	case "EPOCHMICROSECONDS":
		unit = "MICROSECONDS"
	case "SCALAR":
		if unit = strings.ToUpper(get("timestamp.scalar.time.unit")); unit == "" {
			unit = "SECONDS"
		}
	case "DATE_STRING", "MIXED":
		return f, f.takeInput(get("input.dateformat"), get("input.dateformat.list.delimiter.regex"))
	default:
		return nil, fmt.Errorf("hoodie.keygen.timebased.timestamp.type=%s is not known", f.kind)
	}
	u, ok := units[unit]
	if !ok {
		return nil, fmt.Errorf("hoodie.keygen.timebased.timestamp.scalar.time.unit=%s is not known", unit)
	}
	f.multiply, f.divide = u.multiply, u.divide
	return f, checkPattern(f.output, false)
}

func (f *timeFormat) takeInput(list, delimiter string) error {
	if list == "" {
		return fmt.Errorf("hoodie.keygen.timebased.input.dateformat is needed for the type %s", f.kind)
	}
	if delimiter == "" {
		delimiter = ","
	}
	re, err := regexp.Compile(delimiter)
	if err != nil {
		return fmt.Errorf("hoodie.keygen.timebased.input.dateformat.list.delimiter.regex: %w", err)
	}
	for _, p := range re.Split(list, -1) {
		p = strings.TrimSpace(p)
		if err := checkPattern(p, true); err != nil {
			return err
		}
		f.input = append(f.input, p)
	}
	return checkPattern(f.output, false)
}

// checkPattern refuses letters of Joda's patterns that mean something else, or nothing, to the engine.
func checkPattern(p string, input bool) error {
	quoted := false
	for i, c := range p {
		switch {
		case c == '\'':
			quoted = !quoted
		case quoted || !(c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z'):
		case c == 'Z' && i == len(p)-1 && input:
		case !strings.ContainsRune("yMdHhmsSaED", c):
			return fmt.Errorf("letter %c of the time pattern %q is not supported there", c, p)
		}
	}
	return nil
}

// format is the folder of the time x.
func (f *timeFormat) format(m *maker, x rel.Expr, name string) rel.Expr {
	if m.err != nil {
		return x
	}
	zone := f.outputZone
	var at rel.Expr
	if types.Text(x.Type()) {
		if zone == "" {
			zone = f.inputZone
		}
		if at = f.parse(m, x, name, zone == ""); zone == "" {
			zone = "UTC"
		}
	} else {
		at = f.instant(m, x, name)
	}
	if m.err != nil {
		return x
	}
	m.zone = zone
	defer func() { m.zone = "" }()
	return m.call("date_format", at, literal(f.output))
}

// instant is the time that a number, a date or a timestamp stands for. NULL is one unit after 1970 begins, as Hudi has it.
func (f *timeFormat) instant(m *maker, x rel.Expr, name string) rel.Expr {
	if f.divide == 0 {
		return m.fail("column %s of type %s cannot be read by a key generator of type %s", name, x.Type(), f.kind)
	}
	switch t := x.Type(); {
	case t == types.Date:
		x = m.call("unix_date", x)
	case t == types.Timestamp:
		x = m.call("unix_micros", x)
	case !types.Numeric(t):
		return m.fail("column %s of type %s cannot be read by a key generator of type %s", name, t, f.kind)
	}
	x = m.call("coalesce", m.cast(x, types.Long), number(1))
	if f.divide > 1 {
		x = m.call("div", x, number(f.divide))
	}
	if f.multiply > 1 {
		x = m.call("*", x, number(f.multiply))
	}
	return m.call("timestamp_millis", x)
}

// parse is the time that a text shows in the first pattern that fits. With local it is the reading of the clock, as if in UTC.
func (f *timeFormat) parse(m *maker, x rel.Expr, name string, local bool) rel.Expr {
	if len(f.input) == 0 {
		return m.fail("column %s is text, which a key generator of type %s does not read", name, f.kind)
	}
	m.zone = f.inputZone
	defer func() { m.zone = "" }()
	x = m.call("coalesce", x, f.begin(m, m.call("timestamp_millis", number(1))))
	var tries []rel.Expr
	for _, p := range f.input {
		head, zoned := strings.CutSuffix(p, "Z")
		switch {
		case zoned && local:
			bare := m.call("regexp_replace", x, literal(offsetText), literal(""))
			tries = append(tries, m.call("try_to_timestamp", bare, literal(head)))
		case zoned: // Joda reads Z, +0100 and +01:00
			tries = append(tries, m.call("try_to_timestamp", x, literal(head+"XX")), m.call("try_to_timestamp", x, literal(head+"XXX")))
		default:
			tries = append(tries, m.call("try_to_timestamp", x, literal(p)))
		}
	}
	failed := &rel.Cast{X: rel.Raise("HUDI_PARTITION_TIME", types.String, "field", name, "patterns", strings.Join(f.input, ", ")), To: types.Timestamp, Zone: "UTC"}
	return m.call("coalesce", append(tries, failed)...)
}

// offsetText matches an offset from UTC at the end of a text.
const offsetText = `(Z|[+-]\d\d:?\d\d)$`

// begin is the text of the time that stands for NULL.
func (f *timeFormat) begin(m *maker, at rel.Expr) rel.Expr {
	zone := m.zone
	if m.zone == "" {
		m.zone = f.outputZone
	}
	defer func() { m.zone = zone }()
	return m.call("date_format", at, literal(f.input[0]))
}
