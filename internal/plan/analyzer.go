package plan

import (
	"context"
	"strings"

	"github.com/tarn-lake/tarn/internal/syntax"
	"github.com/tarn-lake/tarn/rel"
	"github.com/tarn-lake/tarn/types"
)

// analyzer carries what holds for a whole statement. It is copied where a part of it changes: inside a view, or
// below a WITH clause.
type analyzer struct {
	ctx   context.Context
	scope Scope
	set   rel.Settings
	ctes  *cte
	views int       // how many views are around
	piped *relation // the input of a |> operator, where the tree has none
}

func newAnalyzer(ctx context.Context, s Scope) *analyzer {
	return &analyzer{ctx: ctx, scope: s, set: settings(s)}
}

func settings(s Scope) rel.Settings {
	set := rel.Settings{
		Zone:          s.Setting("spark.sql.session.timeZone"),
		CaseSensitive: isTrue(s.Setting("spark.sql.caseSensitive")),
		NTZ:           s.Setting("spark.sql.timestampType") == "TIMESTAMP_NTZ",
		Conf:          s.Setting,
		Type:          func(sql string) (types.Type, error) { return typeText(sql, s) },
	}
	if strings.EqualFold(s.Setting("spark.sql.ansi.enabled"), "false") {
		set.Mode = rel.Legacy
	}
	return set
}

// typeText reads a type, or a list of columns as the struct of them.
func typeText(sql string, s Scope) (types.Type, error) {
	if t, err := syntax.ParseType(sql); err == nil {
		return spelledType(t, s.Setting)
	}
	fields, err := syntax.ParseTableSchema(sql)
	if err != nil {
		return nil, err
	}
	return spelledFields(fields, s.Setting)
}

// on reports whether a setting that is true by default was not turned off.
func (a *analyzer) on(key string) bool { return !strings.EqualFold(a.scope.Setting(key), "false") }

func isTrue(v string) bool { return strings.EqualFold(strings.TrimSpace(v), "true") }
