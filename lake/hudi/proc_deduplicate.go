package hudi

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/tarn-lake/tarn/lake"
	"github.com/tarn-lake/tarn/lake/hudi/config"
	"github.com/tarn-lake/tarn/lake/hudi/metadata"
	"github.com/tarn-lake/tarn/rel"
	"github.com/tarn-lake/tarn/types"
)

// deduplicate deletes, or only counts, the rows whose key a row of the same partition has that is newer. It is one commit of the
// table, which can be undone. Logs delete by key, which would delete the row that is to stay too.
func deduplicate(ctx context.Context, c *call) ([][]types.Value, error) {
	switch {
	case c.config.Type == config.MergeOnRead:
		return nil, c.refuse("Rewrite the table: INSERT OVERWRITE … SELECT the rows that shall stay.", "rows of MERGE_ON_READ tables cannot be deleted one by one")
	case !c.config.MetaFields:
		return nil, c.refuse("Rewrite the table: INSERT OVERWRITE … SELECT the rows that shall stay.", "the table stores no keys")
	case slices.Contains(c.config.MetadataPartitions, metadata.RecordIndexPartition):
		return nil, c.refuse("CALL delete_metadata_table first: it has one place for each key.", "the table has a record index")
	}
	begun, err := c.Begin(ctx, c.engine)
	if err != nil {
		return nil, err
	}
	x := begun.(*tx)
	surplus, id, err := x.surplus(ctx, c.args["duplicated_partition_path"])
	if err != nil {
		return nil, errors.Join(err, x.Rollback())
	}
	if c.flag("dry_run") {
		n, err := countRows(ctx, c.engine, surplus)
		return [][]types.Value{{fmt.Sprintf("Found %d rows too many", n)}}, errors.Join(err, x.Rollback())
	}
	op, row := rel.NewColumn("op", types.String), rel.Column{ID: rel.NewID(), Name: "row", Type: id.Type}
	edit := lake.Edit{Rows: &rel.Project{In: surplus, Cols: []rel.Computed{{Column: op, Expr: text("D")}, {Column: row, Expr: id.Ref()}}}, Op: op.ID, RowID: row.ID}
	m, err := x.Apply(ctx, edit)
	if err != nil {
		return nil, errors.Join(err, x.Rollback())
	}
	_, err = x.Commit(ctx, lake.Operation{Name: "REPAIR DEDUPLICATE"})
	return [][]types.Value{{fmt.Sprintf("Deleted %d rows", m.Deleted)}}, err
}

// surplus are the ids of the rows of a partition, of all for nil, whose key a newer row of the partition has.
func (x *tx) surplus(ctx context.Context, partition types.Value) (rel.Node, rel.Column, error) {
	id := newRowID()
	key, in, at := rel.NewColumn(recordKeyColumn, types.String), rel.NewColumn(partitionPathColumn, types.String), rel.NewColumn(commitTimeColumn, types.String)
	list := x.base.slices
	if p, ok := partition.(string); ok {
		list = slices.DeleteFunc(slices.Clone(list), func(s *fileSlice) bool { return s.Partition != p })
	}
	rows, err := x.base.rows(ctx, list, []rel.Column{key, in, at}, &id)
	if err != nil {
		return nil, id, err
	}
	rank := rel.Column{ID: rel.NewID(), Name: "rank", Type: types.Int}
	order := []rel.Order{{Expr: at.Ref(), Desc: true}, {Expr: &rel.Field{X: id.Ref(), Index: 0}}, {Expr: &rel.Field{X: id.Ref(), Index: 1}}}
	ranked := &rel.Window{In: rows, Funcs: []rel.Computed{{Column: rank, Expr: &rel.Over{Fn: &rel.Call{Name: "row_number", T: types.Int},
		Partition: []rel.Expr{key.Ref(), in.Ref()}, Order: order}}}}
	return &rel.Filter{In: ranked, Cond: differs(rank.Ref(), code(1))}, id, nil
}
