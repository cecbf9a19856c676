package syntax

// optimize reads Delta's OPTIMIZE.
func (p *parser) optimize(from Pos) Statement {
	p.expect("OPTIMIZE")
	s := &Optimize{}
	p.accept("TABLE")
	s.Target = p.target()
	s.Full = p.accept("FULL")
	if p.accept("WHERE") {
		s.Where = p.expr()
	}
	if p.accept("ZORDER", "BY") {
		if p.atOp("(") {
			s.ZOrder = parens(p, p.name)
		} else {
			s.ZOrder = list(p, p.name)
		}
	}
	s.Span = p.since(from)
	return s
}

// vacuum reads Delta's VACUUM, whose options may stand in any order.
func (p *parser) vacuum(from Pos) Statement {
	p.expect("VACUUM")
	s := &Vacuum{}
	p.accept("TABLE")
	s.Target = p.target()
	for {
		switch {
		case p.atAny("LITE", "FULL") && s.Mode == "":
			s.Mode = p.keyword()
		case p.accept("USING", "INVENTORY"):
			p.inventory(s)
		case p.accept("RETAIN"):
			if !p.numberAt(0) {
				p.failExpected("a number of hours")
			}
			s.Retain = p.number()
			p.expect("HOURS")
		case p.accept("DRY", "RUN"):
			s.DryRun = true
		default:
			s.Span = p.since(from)
			return s
		}
	}
}

func (p *parser) inventory(s *Vacuum) {
	if !p.acceptOp("(") {
		s.Inventory = p.nameRef()
		return
	}
	s.InventoryQuery = p.query()
	p.expectOp(")")
}

// restore reads Delta's RESTORE [TABLE] t [TO] version or timestamp.
func (p *parser) restore(from Pos) Statement {
	p.expect("RESTORE")
	if p.at("TABLE") && p.atTarget(1) {
		p.next()
	}
	s := &Restore{Target: p.target()}
	p.accept("TO")
	if s.Travel = p.timeTravel(); s.Travel == nil {
		p.failExpected("VERSION AS OF", "TIMESTAMP AS OF")
	}
	s.Span = p.since(from)
	return s
}

// convert reads CONVERT TO DELTA.
func (p *parser) convert(from Pos) Statement {
	p.expect("CONVERT", "TO", "DELTA")
	s := &Convert{Table: p.nameRef()}
	for {
		switch {
		case p.accept("NO", "STATISTICS"):
			s.NoStatistics = true
		case p.accept("PARTITIONED", "BY"):
			s.PartitionedBy = parens(p, p.columnType)
		default:
			s.Span = p.since(from)
			return s
		}
	}
}

// reorg reads REORG TABLE t [WHERE e] APPLY (…).
func (p *parser) reorg(from Pos) Statement {
	p.expect("REORG")
	p.accept("TABLE")
	s := &Reorg{Target: p.target()}
	if p.accept("WHERE") {
		s.Where = p.expr()
	}
	p.expect("APPLY")
	p.expectOp("(")
	if s.Apply = p.expectAny("PURGE", "UPGRADE"); s.Apply == "UPGRADE" {
		p.expect("UNIFORM")
		p.expectOp("(")
		p.expect("ICEBERG_COMPAT_VERSION")
		p.expectOp("=")
		s.Apply, s.IcebergVersion = "UPGRADE UNIFORM", p.plainInteger()
		p.expectOp(")")
	}
	p.expectOp(")")
	s.Span = p.since(from)
	return s
}

// generate reads GENERATE mode FOR TABLE t.
func (p *parser) generate(from Pos) Statement {
	p.expect("GENERATE")
	s := &Generate{Mode: p.word()}
	p.expect("FOR", "TABLE")
	s.Target = p.target()
	s.Span = p.since(from)
	return s
}

// compaction reads Hudi's RUN or SCHEDULE COMPACTION ON t.
func (p *parser) compaction(from Pos) Statement {
	s := &Compaction{Verb: p.expectAny("RUN", "SCHEDULE")}
	p.expect("COMPACTION", "ON")
	s.Target = p.target()
	if p.accept("AT") {
		s.At = p.plainInteger()
	}
	s.Span = p.since(from)
	return s
}
