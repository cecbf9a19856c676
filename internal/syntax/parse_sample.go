package syntax

import "strconv"

// sample reads TABLESAMPLE (…) [REPEATABLE (n)].
func (p *parser) sample() *Sample {
	if !p.at("TABLESAMPLE") || !p.opAt(1, "(") && !p.opAt(2, "(") {
		return nil
	}
	from := p.start()
	p.next()
	s := &Sample{Method: p.acceptAny("SYSTEM", "BERNOULLI")}
	p.expectOp("(")
	if p.atOp(")") {
		p.failAs(p.since(from), "_LEGACY_ERROR_TEMP_0015", "TABLESAMPLE does not accept empty inputs")
	}
	p.sampleMethod(s)
	p.expectOp(")")
	if p.accept("REPEATABLE") {
		p.expectOp("(")
		s.Seed = p.integer()
		p.expectOp(")")
	}
	s.Span = p.since(from)
	p.checkSample(s)
	return s
}

func (p *parser) sampleMethod(s *Sample) {
	if p.at("BUCKET") && (p.numberAt(1) || p.opAt(1, "?") || p.opAt(1, ":")) {
		p.next()
		s.Kind, s.X = "BUCKET", p.integer()
		p.expect("OUT", "OF")
		s.OutOf = p.integer()
		if p.accept("ON") {
			s.On = p.name()
			if p.acceptOp("(") {
				p.expectOp(")")
				s.OnCall = true
			}
		}
		return
	}
	s.X = p.expr()
	switch {
	case p.accept("PERCENT"):
		s.Kind = "PERCENT"
	case p.accept("ROWS"):
		s.Kind = "ROWS"
	default:
		s.Kind = "BYTES"
	}
}

func (p *parser) checkSample(s *Sample) {
	fail := func(msg string) { p.failAs(s.Span, "_LEGACY_ERROR_TEMP_0064", msg, "msg", msg) }
	switch s.Kind {
	case "PERCENT":
		p.checkFraction(fraction(s.X), fail)
	case "BUCKET":
		if of := fraction(s.OutOf); of > 0 && s.On == nil {
			p.checkFraction(fraction(s.X)/of, fail)
		}
		if s.On != nil && s.OnCall {
			fail("TABLESAMPLE(BUCKET x OUT OF y ON function) is not supported.")
		} else if s.On != nil {
			fail("TABLESAMPLE(BUCKET x OUT OF y ON colname) is not supported.")
		}
	case "BYTES":
		p.checkBytes(s)
	}
	if s.Method == "SYSTEM" && s.Kind != "PERCENT" {
		p.failAs(s.Span, "UNSUPPORTED_FEATURE.TABLESAMPLE_SYSTEM_SAMPLE_METHOD",
			"TABLESAMPLE SYSTEM samples by PERCENT only", "method", s.Kind)
	}
	if s.Method == "SYSTEM" && s.Seed != nil {
		p.failAs(s.Span, "UNSUPPORTED_FEATURE.TABLESAMPLE_SYSTEM_REPEATABLE",
			"TABLESAMPLE SYSTEM cannot be REPEATABLE; use BERNOULLI")
	}
}

// checkFraction refuses samples of less than nothing or more than all.
func (p *parser) checkFraction(f float64, fail func(string)) {
	if f < 0 || f > 1 {
		fail("Sampling fraction (" + strconv.FormatFloat(f, 'f', -1, 64) + ") must be on interval [0, 1].")
	}
}

// fraction returns the hundredth part of a literal number, and 0 for all else.
func fraction(percent Expr) float64 {
	n, ok := percent.(*NumberLit)
	if !ok {
		return 0
	}
	f, _ := strconv.ParseFloat(n.Text, 64)
	if n.Neg {
		f = -f
	}
	return f / 100
}

// checkBytes refuses a sample by bytes, such as 300M, which Spark knows and
// does not support.
func (p *parser) checkBytes(s *Sample) {
	if s.Method == "SYSTEM" {
		return
	}
	msg := "TABLESAMPLE(byteLengthLiteral) is not supported."
	if c, ok := s.X.(*ColumnRef); !ok || len(c.Parts) != 1 {
		msg = Span{s.X.Pos(), s.X.End()}.Text(p.src) + " is not a valid byte length literal, expected syntax: DIGIT+ ('B' | 'K' | 'M' | 'G')"
	}
	p.failAs(s.Span, "_LEGACY_ERROR_TEMP_0064", msg, "msg", msg)
}
