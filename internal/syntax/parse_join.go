package syntax

// atJoin reports whether a join comes next.
func (p *parser) atJoin() bool {
	n := 0
	if p.at("NATURAL") {
		n++
	}
	t := p.ahead(n)
	switch keywords.text[t.word] {
	case "JOIN", "CROSS", "INNER", "LEFT", "RIGHT", "FULL", "SEMI", "ANTI":
		return t.kind == kindWord
	}
	return false
}

func (p *parser) join(left Relation, from Pos) Relation {
	start := p.start()
	j := &Join{Left: left, Natural: p.accept("NATURAL"), Kind: p.joinKind()}
	p.expect("JOIN")
	j.Right = p.maybeLateral()
	if !j.Natural {
		j.Nearest = p.nearest()
	}
	switch {
	case j.Natural || j.Nearest != nil:
	case p.accept("ON"):
		j.On = p.expr()
	case p.accept("USING"):
		j.Using = parens(p, p.ident)
	}
	j.Span = p.since(from)
	p.checkJoin(j, p.since(start))
	return j
}

func (p *parser) joinKind() string {
	kind := p.acceptAny("INNER", "CROSS", "LEFT", "RIGHT", "FULL", "SEMI", "ANTI")
	switch kind {
	case "":
		return "INNER"
	case "LEFT":
		if k := p.acceptAny("SEMI", "ANTI"); k != "" {
			return k
		}
		p.accept("OUTER")
	case "RIGHT", "FULL":
		p.accept("OUTER")
	}
	return kind
}

// checkJoin refuses combinations that have no meaning.
func (p *parser) checkJoin(j *Join, at Span) {
	_, lateral := j.Right.(*Lateral)
	switch {
	case j.Natural && j.Kind == "CROSS":
		p.failAs(at, "INCOMPATIBLE_JOIN_TYPES", "a join cannot be both NATURAL and CROSS",
			"joinType1", "NATURAL", "joinType2", "CROSS")
	case lateral && j.Natural:
		p.failAs(at, "INCOMPATIBLE_JOIN_TYPES", "a join cannot be both LATERAL and NATURAL",
			"joinType1", "LATERAL", "joinType2", "NATURAL")
	case lateral && j.Using != nil:
		p.failAs(at, "UNSUPPORTED_FEATURE.LATERAL_JOIN_USING", "a lateral join cannot have USING")
	case lateral && j.Kind != "INNER" && j.Kind != "CROSS" && j.Kind != "LEFT":
		p.failAs(at, "INVALID_LATERAL_JOIN_TYPE", "a lateral join cannot be "+j.Kind, "joinType", j.Kind+" JOIN")
	}
	if j.Nearest != nil && (lateral || j.Kind != "INNER" && j.Kind != "LEFT") {
		p.failAs(at, "NEAREST_BY_JOIN.UNSUPPORTED_JOIN_TYPE", "NEAREST needs an inner or left join", "joinType", j.Kind)
	}
}

// nearest reads [APPROX|EXACT] NEAREST [n] BY {DISTANCE|SIMILARITY} x.
func (p *parser) nearest() *Nearest {
	if !p.at("NEAREST") && !(p.atAny("APPROX", "EXACT") && p.ahead(1).is("NEAREST")) {
		return nil
	}
	from := p.start()
	n := &Nearest{Mode: p.acceptAny("APPROX", "EXACT")}
	p.expect("NEAREST")
	if !p.at("BY") {
		count := p.plainInteger()
		n.Count = count
		if len(count.Text) > 6 || atoi(count.Text, 0) < 1 || atoi(count.Text, 0) > 100000 {
			p.failAs(count.Span, "NEAREST_BY_JOIN.NUM_RESULTS_OUT_OF_RANGE", "NEAREST takes a number from 1 to 100000",
				"numResults", count.Text)
		}
	}
	p.expect("BY")
	n.By = p.expectAny("DISTANCE", "SIMILARITY")
	n.X = p.expr()
	n.Span = p.since(from)
	return n
}
