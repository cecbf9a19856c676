package hudi

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/tarn-lake/tarn/lake"
	"github.com/tarn-lake/tarn/lake/hudi/config"
	"github.com/tarn-lake/tarn/lake/hudi/metadata"
	"github.com/tarn-lake/tarn/types"
)

// indexProcedures are what the statements about indexes call.
func indexProcedures() []procedure {
	name := required("name", "of the index")
	return []procedure{
		{"create_index", "Builds an index, as CREATE INDEX does.",
			[]lake.Param{tableParam(), name, required("columns", "columns, joined by commas"),
				optional("type", types.String, "", "column_stats or bloom_filters; without one the columns tell: record_index of the record key, else a secondary index"),
				optional("options", types.String, nil, "of the index: key=value, key=value, or a JSON object"),
				optional("if_not_exists", types.Boolean, false, "an index that is there is no error")},
			columns("result"), createIndex},
		{"drop_index", "Drops an index, as DROP INDEX does.",
			[]lake.Param{tableParam(), name, optional("if_exists", types.Boolean, false, "an index that is not there is no error")}, columns("result"), dropIndex},
		{"show_indexes", "Shows the indexes that the metadata table holds.", []lake.Param{tableParam()}, columns("index_name", "index_type", "col_name"), showIndexes},
	}
}

// showIndexes lists the partitions of the metadata table beside that of the files.
func showIndexes(ctx context.Context, c *call) ([][]types.Value, error) {
	defined, err := metadata.ReadIndexes(ctx, c.bucket, c.config)
	if err != nil {
		return nil, err
	}
	var rows [][]types.Value
	for _, p := range c.config.MetadataPartitions {
		switch def, ok := defined[p]; {
		case p == metadata.FilesPartition:
		case ok && named(p):
			rows = append(rows, []types.Value{p, def.Type, strings.Join(def.Sources, ",")})
		default:
			rows = append(rows, []types.Value{p, kindOf(p), ""})
		}
	}
	return rows, nil
}

// named reports whether a partition is of an index that has a name of its own.
func named(partition string) bool {
	return strings.HasPrefix(partition, metadata.SecondaryPrefix) || strings.HasPrefix(partition, metadata.ExpressionPrefix)
}

func kindOf(partition string) string {
	for _, prefix := range []string{metadata.SecondaryPrefix, metadata.ExpressionPrefix} {
		if strings.HasPrefix(partition, prefix) {
			return strings.TrimSuffix(prefix, "_")
		}
	}
	return partition
}

// partitionNamed is the partition of the index that a user calls name; "" when there is none.
func partitionNamed(all []string, name string) string {
	for _, p := range []string{name, metadata.ExpressionPrefix + name, metadata.SecondaryPrefix + name} {
		if i := slices.IndexFunc(all, func(x string) bool { return strings.EqualFold(x, p) }); i >= 0 {
			return all[i]
		}
	}
	return ""
}

func createIndex(ctx context.Context, c *call) ([][]types.Value, error) {
	w, err := c.wantedIndex(ctx)
	if err != nil {
		return nil, err
	}
	now, err := config.Load(ctx, c.bucket)
	if err != nil {
		return nil, err
	}
	if partitionNamed(now.MetadataPartitions, w.name) != "" {
		if c.flag("if_not_exists") {
			return nil, nil
		}
		return nil, c.indexExists(w.name)
	}
	partition, begin, err := w.plan(c)
	if err != nil {
		return nil, err
	}
	if err := c.index(ctx, c.engine, c.settings(nil), []string{partition}, begin); err != nil {
		return nil, err
	}
	return [][]types.Value{{"Created the index " + partition}}, nil
}

func (c *call) indexExists(name string) error {
	return &lake.Error{Op: "create an index of", Path: c.path, Class: "HUDI_INDEX_EXISTS", Params: map[string]string{"index": name, "table": c.path},
		Err: fmt.Errorf("Index already exists: %s", name), Hint: "CREATE INDEX IF NOT EXISTS passes over an index that is there."}
}

// badIndex says why there can be no such index.
func (c *call) badIndex(name, hint, format string, args ...any) error {
	err := fmt.Errorf(format, args...)
	return &lake.Error{Op: "create an index of", Path: c.path, Class: "HUDI_INVALID_INDEX", Hint: hint, Err: err,
		Params: map[string]string{"index": name, "table": c.path, "reason": err.Error()}}
}

// wantedIndex is what CREATE INDEX asks for.
type wantedIndex struct {
	name    string
	kind    string // USING; "" when not said
	columns []string
	options map[string]string
}

func (c *call) wantedIndex(ctx context.Context) (*wantedIndex, error) {
	w := &wantedIndex{name: c.text("name"), kind: strings.ToLower(c.text("type")), columns: splitNames(c.text("columns")), options: map[string]string{}}
	text := c.text("options")
	var err error
	if strings.HasPrefix(strings.TrimSpace(text), "{") {
		err = json.Unmarshal([]byte(text), &w.options)
	} else {
		w.options, err = parseOptions(text)
	}
	if err != nil {
		return nil, c.badIndex(w.name, "", "the options are not of the form key=value: %v", err)
	}
	if len(w.columns) == 0 {
		return nil, c.badIndex(w.name, "", "it names no column")
	}
	s, err := c.snapshot(ctx, "", reading{}, nil)
	if err != nil {
		return nil, err
	}
	for i, name := range w.columns {
		at := slices.IndexFunc(s.schema.Fields, func(f types.Field) bool { return strings.EqualFold(f.Name, name) })
		if at < 0 {
			return nil, c.badIndex(w.name, "", "Missing field %s with schema", name)
		}
		w.columns[i] = s.schema.Fields[at].Name
	}
	return w, nil
}

// ofKey reports whether the index is of the record key.
func (w *wantedIndex) ofKey(c *config.Table) bool {
	return len(c.RecordKey) == len(w.columns) && !slices.ContainsFunc(c.RecordKey, func(k string) bool { return !slices.Contains(w.columns, k) })
}

// plan is the partition of the index, and what it begins with.
func (w *wantedIndex) plan(c *call) (partition string, begin func(context.Context, *indexing, string) (metadata.Addition, error), err error) {
	expr := w.options["expr"]
	plain := expr == "" || strings.EqualFold(expr, identity)
	switch {
	case w.kind == "" && (w.ofKey(c.config) || w.name == metadata.RecordIndexPartition):
		return metadata.RecordIndexPartition, beginStandard(nil), w.checkRecordIndex(c)
	case w.kind == metadata.ColumnStatsPartition && plain:
		if w.name != metadata.ColumnStatsPartition {
			return "", nil, c.badIndex(w.name, "Name the index column_stats: a table has one of it, for all columns.",
				"Column stats index without expression on any column can be created using datasource configs")
		}
		return metadata.ColumnStatsPartition, beginStandard(w.columns), nil
	case w.kind == metadata.BloomFiltersPartition && plain && w.name == metadata.BloomFiltersPartition && w.ofKey(c.config):
		if !c.config.MetaFields {
			return "", nil, c.badIndex(w.name, "", "the table stores no record keys (hoodie.populate.meta.fields=false)")
		}
		return metadata.BloomFiltersPartition, beginStandard(nil), nil
	case w.kind != "" && w.kind != metadata.ColumnStatsPartition && w.kind != metadata.BloomFiltersPartition:
		return "", nil, c.badIndex(w.name, "USING column_stats or bloom_filters; without USING, of the record key or of another column.", "%s is not supported", w.kind)
	}
	return "", nil, w.notMade(c)
}

// notMade refuses the indexes that only Hudi makes.
func (w *wantedIndex) notMade(c *call) error {
	const hint = "Hudi 1.x makes it; the first write of tarn drops it again."
	switch {
	case len(w.columns) > 1:
		return c.badIndex(w.name, "", "Only one column can be indexed for functional or secondary index.")
	case w.kind == "":
		return c.badIndex(w.name, hint, "secondary indexes, of columns that are not the record key, are not supported")
	}
	return c.badIndex(w.name, hint, "expression indexes are not supported")
}

// identity is the function of indexes of a column itself.
const identity = "identity"

func (w *wantedIndex) checkRecordIndex(c *call) error {
	switch {
	case w.name != metadata.RecordIndexPartition:
		return c.badIndex(w.name, "Name it record_index: a table has one.", "an index of the record key is the record index")
	case !w.ofKey(c.config):
		return c.badIndex(w.name, "", "the record index is of the record key, %s", strings.Join(c.config.RecordKey, ","))
	case c.config.Version < 6:
		return c.badIndex(w.name, "CALL upgrade_table brings the table to a newer version.", "tables have it from version 6 on, and this one has version %d", c.config.Version)
	case !c.config.MetaFields:
		return c.badIndex(w.name, "", "the table stores no record keys (hoodie.populate.meta.fields=false)")
	}
	return nil
}

// beginStandard begins a partition that every table has at most once. columns are those of bounds, beside meta columns; nil are all.
func beginStandard(columns []string) func(context.Context, *indexing, string) (metadata.Addition, error) {
	return func(ctx context.Context, v *indexing, partition string) (a metadata.Addition, err error) {
		if columns != nil {
			v.options.all[optStatsColumns] = strings.Join(columns, ",")
		}
		bounded := v.statsColumns(v.config())
		a = metadata.Addition{Partition: partition, Index: metadata.Definition(v.config().Version, partition, bounded)}
		if partition == metadata.RecordIndexPartition {
			a.Shards = v.indexGroups(v.config())
		}
		a.Present, err = v.present(ctx, partition, bounded)
		return a, err
	}
}

func dropIndex(ctx context.Context, c *call) ([][]types.Value, error) {
	name := c.text("name")
	if _, err := c.recover(ctx); err != nil {
		return nil, err
	}
	now, err := config.Load(ctx, c.bucket)
	if err != nil {
		return nil, err
	}
	dropped := partitionNamed(now.MetadataPartitions, name)
	switch {
	case dropped == "" && c.flag("if_exists"):
		return nil, nil
	case dropped == "":
		return nil, &lake.Error{Op: "drop an index of", Path: c.path, Class: "HUDI_INDEX_NOT_FOUND", Params: map[string]string{"index": name, "table": c.path},
			Err: fmt.Errorf("Index does not exist: %s", name), Hint: "SHOW INDEXES FROM the table tells which there are."}
	case dropped == metadata.FilesPartition:
		return nil, c.badIndex(name, "CALL delete_metadata_table drops the whole metadata table.", "the files are what the metadata table is of, and no index")
	}
	if err := c.discard(ctx, c.settings(nil), withDependents(now.MetadataPartitions, dropped)); err != nil {
		return nil, err
	}
	return [][]types.Value{{"Dropped the index " + dropped}}, nil
}

// withDependents is a partition and those of all that are nothing without it: bounds of partitions are those of files, and secondary
// indexes lead to record keys, of which the record index says where they are.
func withDependents(all []string, partition string) []string {
	out := []string{partition}
	for _, p := range all {
		switch {
		case partition == metadata.ColumnStatsPartition && p == metadata.PartitionStatsPartition,
			partition == metadata.RecordIndexPartition && strings.HasPrefix(p, metadata.SecondaryPrefix):
			out = append(out, p)
		}
	}
	return out
}
