package tarn

import (
	"context"
	"iter"
	"maps"

	"github.com/tarn-lake/tarn/engine"
	"github.com/tarn-lake/tarn/internal/syntax"
)

// Session is one conversation: settings, current schema, temporary views and variables. It serves one
// goroutine at a time; sessions of one [DB] do not see each other's state, except for global views.
type Session struct {
	db        *DB
	conf      map[string]string // by key, as set
	catalog   string            // current
	schema    string            // current
	views     map[string]*view  // temporary, by lower-case name
	variables map[string]variable
}

// Session starts a conversation with the settings of Options.Conf.
func (db *DB) Session() *Session {
	conf := maps.Clone(db.opts.Conf)
	if conf == nil {
		conf = map[string]string{}
	}
	return &Session{db: db, conf: conf, catalog: DefaultCatalog, schema: defaultSchema,
		views: map[string]*view{}, variables: map[string]variable{}}
}

// DB is the database of s.
func (s *Session) DB() *DB { return s.db }

// NamedArg is a value for the parameter marker `:Name`.
type NamedArg struct {
	Name  string
	Value any
}

// Named gives the parameter marker `:name` a value. Other arguments fill the markers `?` in order.
func Named(name string, value any) NamedArg { return NamedArg{name, value} }

// Query runs one statement. Cancelling ctx ends it within a second; a statement that writes then leaves
// nothing behind, unless its commit was already made.
func (s *Session) Query(ctx context.Context, sql string, args ...any) (*Rows, error) {
	st, err := s.dialect().ParseStatement(sql)
	if err != nil {
		return nil, explain(err, sql)
	}
	return s.execute(ctx, sql, st, args)
}

// Exec runs one statement to its end and drops its rows. The receipt is nil when it wrote no table.
func (s *Session) Exec(ctx context.Context, sql string, args ...any) (*Receipt, error) {
	rows, err := s.Query(ctx, sql, args...)
	if err != nil {
		return nil, err
	}
	for {
		if _, err := rows.NextBatch(); err != nil {
			return rows.Receipt(), rows.Close()
		}
	}
}

// Statement is one statement of a script with its result.
type Statement struct {
	SQL  string // its text
	Pos  int    // of SQL in the script, in bytes
	Rows *Rows  // closed when the iteration goes on
}

// Run runs the statements of script, separated by semicolons, one after the other. The first error ends it; a
// script with a syntax error runs nothing.
func (s *Session) Run(ctx context.Context, script string) iter.Seq2[Statement, error] {
	return func(yield func(Statement, error) bool) {
		pieces := syntax.Split(script)
		for _, p := range pieces {
			if _, err := s.dialect().ParseStatement(p.Text); err != nil {
				yield(Statement{SQL: p.Text, Pos: int(p.From)}, explain(err, p.Text))
				return
			}
		}
		for _, p := range pieces {
			out := Statement{SQL: p.Text, Pos: int(p.From)}
			var err error
			out.Rows, err = s.Query(ctx, p.Text)
			if !yield(out, err) || err != nil {
				return
			}
			out.Rows.Close()
		}
	}
}

// dialect is how the settings have text read.
func (s *Session) dialect() syntax.Dialect {
	return syntax.Dialect{
		DoubleQuotedIdentifiers: s.enabled("spark.sql.ansi.doubleQuotedIdentifiers"),
		ReservedKeywords:        s.enabled("spark.sql.ansi.enforceReservedKeywords"),
		FlatSetOps:              s.enabled("spark.sql.legacy.setopsPrecedence.enabled"),
		LegacyInterval:          s.enabled("spark.sql.legacy.interval.enabled"),
		LegacyIdentifierClause:  s.enabled("spark.sql.legacy.identifierClause"),
		JoinDoubledQuotes:       s.enabled("spark.sql.legacy.consecutiveStringLiterals.enabled"),
		BangEqualsNot:           s.enabled("spark.sql.legacy.bangEqualsNot"),
		RawEscapes:              s.enabled("spark.sql.parser.escapedStringLiterals"),
	}
}

// Progress says how far a statement is.
type Progress = engine.Progress

// WithProgress gives ctx a function that is called, at most ten times a second, while a statement runs.
func WithProgress(ctx context.Context, f func(Progress)) context.Context {
	return engine.WithProgress(ctx, f)
}
