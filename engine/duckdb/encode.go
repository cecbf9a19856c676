package duckdb

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/apache/arrow-go/v18/arrow"

	"github.com/tarn-lake/tarn/engine"
	"github.com/tarn-lake/tarn/internal/parquet"
	"github.com/tarn-lake/tarn/rel"
	"github.com/tarn-lake/tarn/types"
)

// encode stores the rows of q by our own Parquet writer, for destinations with rules that COPY cannot keep:
//
//	DuckDB --batches--> fileSet --runs of rows, by key--> parquet.Writer --> staging directory --> bucket
func (e *Engine) encode(ctx context.Context, q rel.Node, to engine.Dest) ([]rel.File, error) {
	if err := checkEncode(to); err != nil {
		return nil, err
	}
	codec, err := e.codec(to.Physical.Codec)
	if err != nil {
		return nil, err
	}
	st, err := e.stage(to)
	if err != nil {
		return nil, err
	}
	defer st.remove()
	var made []stagedFile
	err = e.attempt(ctx, q, nil, func(em *emitter) (string, error) { return em.rowsOf(q, to) }, func(k *task) error {
		if err := st.empty(); err != nil {
			return err
		}
		files := newFileSet(st, codec, e.opts.Threads)
		err := k.batches(ctx, encodeSchema(to), files.write)
		if err == nil {
			err = files.finish(ctx)
		}
		files.close()
		if made = files.done; err == nil {
			e.finish(k)
		}
		return err
	})
	if err != nil {
		return nil, err
	}
	return st.publish(ctx, made)
}

// codec gives the codec of a name, which all writes share.
func (e *Engine) codec(name string) (*parquet.Codec, error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if c, ok := e.codecs[name]; ok {
		return c, nil
	}
	c, err := parquet.NewCodec(name)
	if err != nil {
		return nil, unsupported("%v", err)
	}
	e.codecs[name] = c
	return c, nil
}

// checkEncode refuses what contradicts itself.
func checkEncode(to engine.Dest) error {
	if len(to.Partition) > 0 && (to.Key != 0 || to.Name != nil) {
		return errors.New("duckdb: files are named by a key or lie in partition folders, not both")
	}
	for _, d := range to.Columns {
		if d.Made != engine.FromRows && !types.Text(d.Field.Type) {
			return fmt.Errorf("duckdb: the made column %s is no text", d.Field.Name)
		}
		if d.Made == engine.Sequence && to.Sequence == nil {
			return fmt.Errorf("duckdb: nothing says what the numbers of the column %s begin with", d.Field.Name)
		}
	}
	return nil
}

// rowsOf emits the statement for the rows to store: the columns that the rows have, then the key or the texts that rows are partitioned by.
func (e *emitter) rowsOf(q rel.Node, to engine.Dest) (string, error) {
	cols, err := e.stored(q, to)
	if err != nil {
		return "", err
	}
	if to.Key != 0 {
		if !slices.ContainsFunc(q.Columns(), func(c rel.Column) bool { return c.ID == to.Key && types.Text(c.Type) }) {
			return "", errors.New("duckdb: the key of the files is no text among the rows to write")
		}
		cols = append(cols, name(to.Key)+" AS key")
	}
	if len(cols) == 0 {
		cols = append(cols, "1 AS none")
	}
	body, err := e.statement(q)
	if err != nil {
		return "", err
	}
	sql := "SELECT " + strings.Join(cols, ", ") + " FROM (" + body + ")"
	if !sorted(q) {
		sql = unordered(sql, len(cols))
	}
	return sql, nil
}

// unordered appends a branch without rows to a statement. DuckDB gives the rows of a stream in the order of their sources, which
// costs a third of the time of a scan, unless one of the sources has no order, like this one; that it is empty shows too late.
func unordered(sql string, columns int) string {
	return sql + " UNION ALL SELECT " + strings.Repeat("NULL, ", columns-1) + "NULL FROM (SELECT DISTINCT CAST(uuid() AS VARCHAR) AS u) WHERE u = ''"
}

// encodeSchema is the schema of the rows of rowsOf; nil when they have no columns of their own.
func encodeSchema(to engine.Dest) *arrow.Schema {
	var fields []arrow.Field
	for i, d := range to.Columns {
		if d.Made != engine.FileName && !slices.Contains(to.Partition, i) {
			fields = append(fields, arrow.Field{Name: d.Field.Name, Type: types.Arrow(d.Field.Type), Nullable: true})
		}
	}
	if to.Key != 0 {
		fields = append(fields, arrow.Field{Name: "key", Type: arrow.BinaryTypes.String})
	}
	for range to.Partition {
		fields = append(fields, arrow.Field{Name: "key", Type: arrow.BinaryTypes.String, Nullable: true})
	}
	if len(fields) == 0 {
		return nil
	}
	return arrow.NewSchema(fields, nil)
}

// batches runs the statement and calls f with its batches, while the next one is fetched already.
func (k *task) batches(ctx context.Context, schema *arrow.Schema, f func(context.Context, arrow.RecordBatch) error) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	s, err := k.conn.start(ctx, statement{sql: k.sql, schema: schema})
	if err != nil {
		return err
	}
	defer s.close()
	type fetched struct {
		b   arrow.RecordBatch
		err error
	}
	rows := make(chan fetched, 1)
	go func() {
		defer close(rows)
		for {
			b, err := s.next()
			rows <- fetched{b, err}
			if err != nil {
				return
			}
		}
	}()
	for r := range rows {
		switch {
		case r.err != nil:
			if err == nil && r.err != io.EOF {
				err = r.err
			}
			continue
		case err == nil:
			if err = f(ctx, r.b); err != nil {
				cancel()
			}
		}
		r.b.Release()
	}
	return err
}
