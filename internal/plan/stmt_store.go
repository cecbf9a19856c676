package plan

import (
	"context"
	"slices"
	"strconv"
	"strings"

	"github.com/tarn-lake/tarn/internal/syntax"
	"github.com/tarn-lake/tarn/lake"
	"github.com/tarn-lake/tarn/rel"
	"github.com/tarn-lake/tarn/types"
)

// Options are the options of a write: keys in lower case.
type Options map[string]string

// StoreOptions reads options, whose keys may be in any case.
func StoreOptions(m map[string]string) Options {
	out := Options{}
	for k, v := range m {
		out[strings.ToLower(k)] = v
	}
	return out
}

func (o Options) flag(name string) (value, set bool, err error) {
	v, set := o[strings.ToLower(name)]
	if !set {
		return false, false, nil
	}
	value, err = strconv.ParseBool(strings.ToLower(v))
	if err != nil {
		err = fail("DELTA_ILLEGAL_OPTION", nil, "input", v, "name", name, "explain", "must be 'true' or 'false'")
	}
	return value, true, err
}

// Store says how rows go into a table.
type Store struct {
	Rows      rel.Node
	Mode      string // Append, Overwrite, ErrorIfExists or Ignore
	ByName    bool   // columns match by name, else by position
	Merge     bool   // types are merged as for a DataFrame; else values are cast as INSERT does
	Columns   []*syntax.Ident
	Static    *syntax.PartitionSpec // PARTITION (…)
	Where     syntax.Expr           // REPLACE WHERE
	WhereText string                // its text; for the history
	Partition []string              // of partitionBy
	Options   Options
	Dynamic   bool // the session asks for dynamic overwrite of partitions
	Evolve    bool // the session, or the statement, lets the schema grow
	Using     []string
	On        syntax.Expr
	OnText    string
	OnTarget  string // alias of the table in On
}

// storing is one Store while it is planned.
type storing struct {
	Store
	ctx         context.Context
	scope       Scope
	t           Target
	schema      types.Struct // after the statement
	mergeSchema bool
	overwrite   bool // overwriteSchema, for the whole table
	dynamic     bool
}

// Save plans an insert or a DataFrame write into a table that is there. A table that was only just made by the same
// transaction has no rows.
func Save(ctx context.Context, st Store, t Target, s Scope) (Write, error) {
	if t.Format == "hudi" {
		st.Rows = withoutHudiMeta(st.Rows)
	}
	p := &storing{Store: st, ctx: ctx, scope: s, t: t, schema: t.Meta.Schema}
	if err := p.options(); err != nil {
		return Write{}, err
	}
	if err := p.checkAppendOnly(); err != nil {
		return Write{}, err
	}
	if err := refuseIdentity(t.Meta); err != nil {
		return Write{}, err
	}
	if err := p.evolve(); err != nil {
		return Write{}, err
	}
	w, err := p.write()
	if err != nil {
		return w, err
	}
	if !types.Same(p.schema, t.Meta.Schema) || p.repartitioned() {
		w.Define = withSchema(t.Meta, p.schema)
		if p.overwrite {
			w.Define.Partition = p.partitionNames()
		}
	}
	w.Operation, err = p.operation()
	return w, err
}

// hudiMeta are the columns that Hudi puts before those of a table. Rows that are read from one table and written to another
// leave them behind.
var hudiMeta = []string{"_hoodie_commit_time", "_hoodie_commit_seqno", "_hoodie_record_key", "_hoodie_partition_path", "_hoodie_file_name"}

func withoutHudiMeta(rows rel.Node) rel.Node {
	p := &rel.Project{In: rows}
	for _, c := range rows.Columns() {
		if !slices.Contains(hudiMeta, c.Name) {
			p.Cols = append(p.Cols, rel.Computed{Column: c, Expr: c.Ref()})
		}
	}
	if len(p.Cols) == len(rows.Columns()) {
		return rows
	}
	return p
}

func (p *storing) options() error {
	var err error
	var set bool
	if p.mergeSchema, set, err = p.Options.flag("mergeSchema"); err != nil {
		return err
	}
	if !set {
		p.mergeSchema = p.Evolve
	}
	if p.overwrite, _, err = p.Options.flag("overwriteSchema"); err != nil {
		return err
	}
	p.overwrite = p.overwrite && p.Mode == "Overwrite"
	p.dynamic = p.Dynamic && p.Mode == "Overwrite" && len(p.t.Meta.Partition) > 0
	mode, set := p.Options["partitionoverwritemode"]
	switch {
	case !set:
	case strings.EqualFold(mode, "dynamic"):
		p.dynamic = true
	case strings.EqualFold(mode, "static"):
		p.dynamic = false
	default:
		return fail("DELTA_ILLEGAL_OPTION", nil, "input", mode, "name", "partitionOverwriteMode", "explain", "must be 'STATIC' or 'DYNAMIC'")
	}
	if err := p.replaceOptions(set); err != nil {
		return err
	}
	p.dynamic = p.dynamic && p.Where == nil
	p.overwrite = p.overwrite && p.Where == nil
	return nil
}

func (p *storing) replaceOptions(modeSet bool) error {
	if text, ok := p.Options["replacewhere"]; ok && p.Where == nil {
		e, err := syntax.ParseExpr(text)
		if err != nil {
			return fail("DELTA_FAILED_RECOGNIZE_PREDICATE", nil, "predicate", text)
		}
		p.Where, p.WhereText = e, text
	}
	if text, ok := p.Options["replaceon"]; ok && p.On == nil {
		e, err := syntax.ParseExpr(text)
		if err != nil {
			return fail("DELTA_FAILED_RECOGNIZE_PREDICATE", nil, "predicate", text)
		}
		p.On, p.OnText, p.OnTarget = e, text, p.Options["targetalias"]
	}
	if text, ok := p.Options["replaceusing"]; ok && p.Using == nil {
		for name := range strings.SplitSeq(text, ",") {
			p.Using = append(p.Using, strings.TrimSpace(name))
		}
	}
	replaces := p.On != nil || p.Using != nil
	switch {
	case replaces && p.Where != nil:
		return fail("DELTA_OVERWRITE_BY_FILTER_INCOMPATIBLE_REPLACE_ON_OR_USING", nil)
	case replaces && p.dynamic && modeSet:
		return fail("DELTA_DYNAMIC_PARTITION_OVERWRITE_INCOMPATIBLE_REPLACE_ON_OR_USING", nil)
	case p.Where != nil && p.dynamic && modeSet:
		return fail("DELTA_REPLACE_WHERE_WITH_DYNAMIC_PARTITION_OVERWRITE", nil)
	}
	return nil
}

func (p *storing) checkAppendOnly() error {
	if p.Mode == "Overwrite" && p.t.Of != nil && isTrue(p.t.Meta.Properties["delta.appendOnly"]) {
		return appendOnly(p.t)
	}
	return nil
}

func appendOnly(t Target) error {
	return fail("DELTA_CANNOT_MODIFY_APPEND_ONLY", nil, "table_name", t.text(), "config", "delta.appendOnly")
}

// evolve finds the schema after the statement and checks that the rows fit it.
func (p *storing) evolve() error {
	rows := schemaOf(p.Rows.Columns())
	if p.overwrite {
		return p.replaceSchema(rows)
	}
	if err := p.checkPartitionBy(); err != nil {
		return err
	}
	if !p.Merge {
		return p.evolveInsert(rows)
	}
	if name, ok := duplicate(rows); ok {
		return fail("DELTA_DUPLICATE_COLUMNS_FOUND.DATA", nil, "coltype", "in the data to save", "duplicateCols", name)
	}
	widen := widensNever
	if p.mergeSchema {
		widen = p.t.widensByWrites()
	}
	merged, err := mergeSchemas(p.t.Meta.Schema, rows, widen)
	if err != nil {
		return err
	}
	grown := !equalShape(merged, p.t.Meta.Schema)
	if grown && !p.mergeSchema {
		return mismatch("the rows have columns or fields that the table lacks")
	}
	if grown {
		if err := checkNames(merged, p.t.Meta, p.t.Format, "DELTA_DUPLICATE_COLUMNS_FOUND.METADATA_UPDATE"); err != nil {
			return err
		}
	}
	p.schema = merged
	return p.checkMissing(rows)
}

// replaceSchema takes the schema of the rows for the table's.
func (p *storing) replaceSchema(rows types.Struct) error {
	if err := checkNames(rows, p.t.Meta, p.t.Format, "DELTA_DUPLICATE_COLUMNS_FOUND.METADATA_UPDATE"); err != nil {
		return err
	}
	p.schema = TableSchema(p.Rows.Columns())
	for i, f := range p.schema.Fields { // what the table says of a column of the same name and type stays
		if j := p.t.Meta.Schema.Index(f.Name); j >= 0 && types.Equal(p.t.Meta.Schema.Fields[j].Type, f.Type) {
			kept := p.t.Meta.Schema.Fields[j]
			kept.Name = f.Name
			p.schema.Fields[i] = kept
		}
	}
	return nil
}

func mismatch(reason string) error {
	return fail("DELTA_METADATA_MISMATCH", nil, "reason", reason)
}

// equalShape compares names, ignoring case, and types.
func equalShape(a, b types.Struct) bool {
	return len(a.Fields) == len(b.Fields) && sameNames(a, b) && types.Equal(a, b)
}

func (p *storing) checkPartitionBy() error {
	if p.Partition == nil || p.t.Of == nil {
		return nil
	}
	have := p.t.Meta.Partition
	same := len(have) == len(p.Partition)
	for i := range have {
		same = same && strings.EqualFold(have[i], p.Partition[i])
	}
	if same {
		return nil
	}
	return mismatch("partitionBy gives other columns than the table is partitioned by, " + jsonList(have))
}

// checkMissing checks the columns that the rows of a DataFrame lack.
func (p *storing) checkMissing(rows types.Struct) error {
	for _, f := range p.schema.Fields {
		if rows.Index(f.Name) >= 0 {
			continue
		}
		for _, name := range p.t.Meta.Partition {
			if strings.EqualFold(name, f.Name) {
				return fail("DELTA_PARTITION_COLUMN_NOT_FOUND", nil, "columnName", name, "schemaMap", namesOf(rows))
			}
		}
		_, hasDefault := f.Metadata.Text(DefaultKey)
		_, made := f.Metadata.Text(GeneratedKey)
		if !f.Nullable && !hasDefault && !made {
			return fail("DELTA_MISSING_NOT_NULL_COLUMN_VALUE", nil, "columnName", f.Name)
		}
	}
	return nil
}

func namesOf(s types.Struct) string {
	var names []string
	for _, f := range s.Fields {
		names = append(names, f.Name)
	}
	return strings.Join(names, ", ")
}

func (p *storing) repartitioned() bool {
	return p.overwrite && jsonList(p.partitionNames()) != jsonList(p.t.Meta.Partition)
}

// partitionNames are the partition columns after the statement, as the schema spells them.
func (p *storing) partitionNames() []string {
	from := p.t.Meta.Partition
	if p.overwrite {
		from = p.Partition
	}
	var out []string
	for _, n := range from {
		if i := p.schema.Index(n); i >= 0 {
			n = p.schema.Fields[i].Name
		}
		out = append(out, n)
	}
	return out
}

func (p *storing) operation() (lake.Operation, error) {
	op := lake.Operation{Name: "WRITE", UserMetadata: p.Options["usermetadata"]}
	if op.UserMetadata == "" {
		op.UserMetadata = p.scope.Setting("spark.databricks.delta.commitInfo.userMetadata")
	}
	add := func(key string, value any) {
		op.Parameters = append(op.Parameters, lake.Parameter{Key: key, Value: value})
	}
	add("mode", p.Mode)
	add("partitionBy", jsonList(p.Partition))
	if p.WhereText != "" {
		add("predicate", p.WhereText)
	}
	if p.dynamic {
		add("isDynamicPartitionOverwrite", true)
	}
	if on, _, _ := p.Options.flag("overwriteSchema"); on && p.Mode == "Overwrite" {
		add("canOverwriteSchema", true)
	}
	if p.mergeSchema {
		add("canMergeSchema", true)
	}
	if p.Using != nil {
		add("replaceUsingCols", "("+strings.Join(p.Using, ",")+")")
	}
	if p.OnText != "" {
		add("replaceOnCond", p.OnText)
	}
	var err error
	op.Txn, err = p.txn()
	return op, err
}

func (p *storing) txn() (*lake.TxnID, error) {
	app, hasApp := p.Options["txnappid"]
	text, hasVersion := p.Options["txnversion"]
	if !hasApp && !hasVersion {
		return nil, nil
	}
	if !hasApp || !hasVersion {
		return nil, fail("DELTA_INVALID_IDEMPOTENT_WRITES_OPTIONS", nil, "reason", "one of the two is missing")
	}
	v, err := strconv.ParseInt(text, 10, 64)
	if err != nil || v < 0 {
		return nil, fail("DELTA_ILLEGAL_OPTION", nil, "input", text, "name", "txnVersion", "explain", "must be a whole number from 0")
	}
	return &lake.TxnID{App: app, Version: v}, nil
}
