package syntax

import "strings"

// statementPart prints the parts of statements.
func (p *printer) statementPart(n Node) {
	switch n := n.(type) {
	case *Property:
		p.property(n)
	case *Target:
		p.put(n.Name, n.Path)
	case *PartitionSpec:
		p.put("PARTITION", inParens(n.Items))
	case *PartitionItem:
		p.put(n.Column, n.Op, n.Value)
	case *Assignment:
		p.put(n.Target, "=", n.Value)
	case *MergeClause:
		p.mergeClause(n)
	case *CopyClause:
		p.copyClause(n)
	case *FieldType:
		p.put(n.Name, n.Type, when(n.NotNull, "NOT NULL"), clause("DEFAULT", n.Default), clause("COMMENT", n.Comment))
	case *ViewColumn:
		p.put(n.Name, clause("COMMENT", n.Comment))
	case *ColumnDef:
		p.column(n)
	case *Identity:
		p.identity(n)
	case *ColumnPosition:
		p.put(when(n.First, "FIRST"), clause("AFTER", n.After))
	case *Constraint:
		p.constraint(n, n.Columns != nil)
	case *PartitionField:
		p.put(n.Column, n.Type, when(n.NotNull, "NOT NULL"), clause("COMMENT", n.Comment))
		p.put(when(n.Transform != nil, n.Transform, raw("("), commas(n.Args), raw(")")))
	case *BucketSpec:
		p.put("CLUSTERED BY", inParens(n.Columns), when(len(n.Sorted) > 0, "SORTED BY", inParens(n.Sorted)), "INTO", n.Count, "BUCKETS")
	case *SortedColumn:
		p.put(n.Name, n.Order)
	case *SkewSpec:
		p.skew(n)
	case *RowFormat:
		p.rowFormat(n)
	case *FileFormat:
		p.fileFormat(n)
	case *FunctionResource:
		p.put(n.Kind, n.Path)
	case *IndexColumn:
		p.put(n.Name, when(len(n.Options) > 0, "OPTIONS", inParens(n.Options)))
	case *PartitionLocation:
		p.put(n.Spec, clause("LOCATION", n.Location))
	case *ColumnChange:
		p.columnChange(n)
	case *HandlerCondition:
		p.put(when(n.Kind != "NAME", n.Kind), n.SQLState, n.Name)
	case *When:
		p.put("WHEN", n.Cond, "THEN", n.Result)
	case *IntervalField:
		p.interval(&IntervalLit{Fields: []*IntervalField{n}})
	case *UnpivotSet:
		p.put(commas(n.Columns), clause("AS", n.Alias))
	case *Branch:
		p.put(n.Cond, "THEN")
		p.statements(n.Body)
	case *Transform:
		p.transform(n)
	}
}

func (p *printer) copyClause(c *CopyClause) {
	switch c.Kind {
	case "FILES":
		p.put("FILES =", inParens(c.Values))
	case "PATTERN":
		p.put("PATTERN =", commas(c.Values))
	case "VALIDATE":
		p.put("VALIDATE", commas(c.Values), when(len(c.Values) > 0, "ROWS"))
	default:
		p.put(c.Kind, inParens(c.Options))
	}
}

func (p *printer) column(c *ColumnDef) {
	p.put(c.Name, c.Type, when(c.NotNull, "NOT NULL"), clause("DEFAULT", c.Default))
	p.put(when(c.Generated != nil, "GENERATED ALWAYS AS (", c.Generated, raw(")")), c.Identity, clause("COMMENT", c.Comment))
	for _, k := range c.Constraints {
		p.constraint(k, false)
	}
	p.put(c.Position)
}

func (p *printer) identity(id *Identity) {
	by := "BY DEFAULT"
	if id.Always {
		by = "ALWAYS"
	}
	p.put("GENERATED", by, "AS IDENTITY")
	if id.Start != nil || id.Step != nil {
		p.put("(", clause("START WITH", id.Start), clause("INCREMENT BY", id.Step), raw(")"))
	}
}

// constraint prints a constraint of a table, or of a column without its
// columns.
func (p *printer) constraint(c *Constraint, ofTable bool) {
	p.put(clause("CONSTRAINT", c.Name))
	switch {
	case c.Kind == "CHECK":
		p.put("CHECK (", c.Check, raw(")"))
	case ofTable:
		p.put(c.Kind, inParens(c.Columns))
	case c.Kind != "FOREIGN KEY":
		p.put(c.Kind)
	}
	p.put(clause("REFERENCES", c.References), optParens(c.RefColumns), strings.Join(c.Traits, " "))
}

func (p *printer) skew(s *SkewSpec) {
	p.put("SKEWED BY", inParens(s.Columns), "ON", inParens(s.Values), when(s.Directories, "STORED AS DIRECTORIES"))
}

func (p *printer) rowFormat(r *RowFormat) {
	p.put("ROW FORMAT")
	if r.Serde != nil {
		p.put("SERDE", r.Serde, when(len(r.Properties) > 0, "WITH SERDEPROPERTIES", inParens(r.Properties)))
		return
	}
	p.put("DELIMITED", clause("FIELDS TERMINATED BY", r.Fields), clause("ESCAPED BY", r.Escape),
		clause("COLLECTION ITEMS TERMINATED BY", r.Items), clause("MAP KEYS TERMINATED BY", r.Keys),
		clause("LINES TERMINATED BY", r.Lines), clause("NULL DEFINED AS", r.Null))
}

func (p *printer) fileFormat(f *FileFormat) {
	if f.Handler != nil {
		p.put("STORED BY", f.Handler, when(len(f.Properties) > 0, "WITH SERDEPROPERTIES", inParens(f.Properties)))
		return
	}
	p.put("STORED AS", formatName(f))
}

func formatName(f *FileFormat) parts {
	return parts{f.Name, clause("INPUTFORMAT", f.Input), clause("OUTPUTFORMAT", f.Output), clause("SERDE", f.Serde)}
}

func (p *printer) alterAction(a AlterAction) {
	switch a := a.(type) {
	case *RenameTo:
		p.put("RENAME TO", a.Name)
	case *SetProperties:
		p.put("SET TBLPROPERTIES", inParens(a.Properties))
	case *UnsetProperties:
		p.put("UNSET TBLPROPERTIES", when(a.IfExists, "IF EXISTS"), inParens(a.Properties))
	case *AddConstraint:
		p.put("ADD", a.Constraint)
	case *DropConstraint:
		p.put("DROP CONSTRAINT", when(a.IfExists, "IF EXISTS"), a.Name, a.Behavior)
	case *SetClusterBy:
		p.put("CLUSTER BY", optParens(a.Columns), a.Mode)
	case *DropFeature:
		p.put("DROP FEATURE", str(a.Feature), when(a.Truncate, "TRUNCATE HISTORY"))
	case *SetDefaultCollation:
		p.put("DEFAULT COLLATION", a.Name)
	case *SetSerde:
		p.setSerde(a)
	case *SetLocation:
		p.put(a.Partition, "SET LOCATION", a.Location)
	case *SetFileFormat:
		p.put(a.Partition, "SET FILEFORMAT", formatName(a.Format))
	case *SetViewQuery:
		p.put("AS", a.Query)
	case *SetViewBinding:
		p.put("WITH SCHEMA", a.Binding)
	case *NativeAction:
		p.put(a.Partition, a.Words, text(a.Rest))
	default:
		p.alterColumns(a)
	}
}

func (p *printer) setSerde(a *SetSerde) {
	p.put(a.Partition, "SET")
	if a.Serde == nil {
		p.put("SERDEPROPERTIES", inParens(a.Properties))
		return
	}
	p.put("SERDE", a.Serde, when(len(a.Properties) > 0, "WITH SERDEPROPERTIES", inParens(a.Properties)))
}

func (p *printer) alterColumns(a AlterAction) {
	switch a := a.(type) {
	case *AddColumns:
		p.put("ADD COLUMNS", inParens(a.Columns))
	case *RenameColumn:
		p.put("RENAME COLUMN", a.From, "TO", a.To)
	case *DropColumns:
		p.put("DROP COLUMNS", when(a.IfExists, "IF EXISTS"), inParens(a.Columns))
	case *AlterColumns:
		p.put("ALTER COLUMN", commas(a.Columns))
	case *ChangeColumn:
		p.put(a.Partition, "CHANGE COLUMN", a.Name, a.Column, a.Position)
	case *ReplaceColumns:
		p.put(a.Partition, "REPLACE COLUMNS", inParens(a.Columns))
	case *AddPartitions:
		p.put("ADD", when(a.IfNotExists, "IF NOT EXISTS"))
		for _, l := range a.Partitions {
			p.put(l)
		}
	case *DropPartitions:
		p.put("DROP", when(a.IfExists, "IF EXISTS"), commas(a.Partitions), when(a.Purge, "PURGE"))
	case *RenamePartition:
		p.put(a.From, "RENAME TO", a.To)
	case *RecoverPartitions:
		p.put("RECOVER PARTITIONS")
	}
}

func (p *printer) columnChange(c *ColumnChange) {
	p.put(c.Name)
	switch c.Kind {
	case "TYPE":
		p.put("TYPE", c.Type)
	case "COMMENT":
		p.put("COMMENT", c.Comment)
	case "POSITION":
		p.put(c.Position)
	default:
		p.put(c.Kind, c.Default)
	}
}

// Scripts.

// statements prints statements with a semicolon behind each.
func (p *printer) statements(body []Statement) {
	for _, s := range body {
		p.put(s, raw(";"))
	}
}

func label(id *Ident) parts {
	if id == nil {
		return nil
	}
	return parts{id, raw(":")}
}

func (p *printer) scriptStatement(s Statement) {
	switch s := s.(type) {
	case *Block:
		p.put(label(s.Label), "BEGIN", s.Atomic)
		p.statements(s.Body)
		p.put("END", s.EndLabel)
	case *DeclareCondition:
		p.put("DECLARE", s.Name, "CONDITION", clause("FOR SQLSTATE", s.SQLState))
	case *DeclareHandler:
		p.put("DECLARE", s.Kind, "HANDLER FOR", commas(s.Conditions), s.Body)
	case *If:
		for i, b := range s.Branches {
			word := "ELSEIF"
			if i == 0 {
				word = "IF"
			}
			p.put(word, b)
		}
		p.elseBranch(s.HasElse, s.Else)
		p.put("END IF")
	case *CaseStmt:
		p.put("CASE", s.Operand)
		for _, b := range s.Branches {
			p.put("WHEN", b)
		}
		p.elseBranch(s.HasElse, s.Else)
		p.put("END CASE")
	case *Loop:
		p.loop(s)
	case *For:
		p.put(label(s.Label), "FOR", when(s.Var != nil, s.Var, "AS"), s.Query, "DO")
		p.statements(s.Body)
		p.put("END FOR", s.EndLabel)
	case *Leave:
		p.put("LEAVE", s.Label)
	case *Iterate:
		p.put("ITERATE", s.Label)
	case *Cursor:
		p.put(s.Verb, s.Name, when(s.Verb == "DECLARE", "CURSOR FOR"), s.Query, listClause("USING", s.Args), listClause("INTO", s.Into))
	}
}

func (p *printer) elseBranch(has bool, body []Statement) {
	if has {
		p.put("ELSE")
		p.statements(body)
	}
}

func (p *printer) loop(l *Loop) {
	p.put(label(l.Label), l.Kind)
	if l.Kind == "WHILE" {
		p.put(l.Cond, "DO")
	}
	p.statements(l.Body)
	if l.Kind == "REPEAT" {
		p.put("UNTIL", l.Cond)
	}
	p.put("END", l.Kind, l.EndLabel)
}
