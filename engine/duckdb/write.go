package duckdb

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/tarn-lake/tarn/engine"
	"github.com/tarn-lake/tarn/rel"
)

// Write stores the rows of q by COPY into a staging directory, whose files then get their names in the
// bucket. So a failure leaves nothing that has the name of a data file.
//
// What COPY cannot keep of the destination's rules is kept by [Engine.encode].
func (e *Engine) Write(ctx context.Context, q rel.Node, to engine.Dest) ([]rel.File, error) {
	if len(to.Partition) == len(to.Columns) {
		return nil, fmt.Errorf("duckdb: no column is left to store beside the partition columns")
	}
	if !copies(to) {
		return e.encode(ctx, q, to)
	}
	if err := checkCodec(to.Physical.Codec); err != nil {
		return nil, err
	}
	st, err := e.stage(to)
	if err != nil {
		return nil, err
	}
	defer st.remove()
	var made []madeFile
	err = e.attempt(ctx, q, st.roots, func(em *emitter) (string, error) { return em.copyTo(q, to, st) }, func(k *task) error {
		if err := st.empty(); err != nil {
			return err
		}
		made, err = k.conn.copyFiles(ctx, k.sql)
		if err == nil {
			e.finish(k)
		}
		return err
	})
	if err != nil {
		return nil, err
	}
	files := make([]stagedFile, 0, len(made))
	for _, m := range made {
		if m.rows == 0 { // COPY makes a file even of nothing
			continue
		}
		f, err := describe(m, to)
		if err != nil {
			return nil, err
		}
		f.Path = st.name(f)
		files = append(files, stagedFile{File: f, from: m.path})
	}
	return st.publish(ctx, files)
}

// copies reports whether COPY can do what the destination asks for.
func copies(to engine.Dest) bool {
	p := to.Physical
	made := slices.ContainsFunc(to.Columns, func(d engine.DestColumn) bool { return d.Made != engine.FromRows })
	return !p.FixedDecimals && !p.Int96 && !p.TwoLevelLists && !p.Required && p.Schema == "" &&
		!made && to.Key == 0 && to.Name == nil && to.Observe == nil
}

func checkCodec(name string) error {
	switch name {
	case "", "snappy", "zstd", "gzip", "uncompressed", "lz4_raw":
		return nil
	}
	return unsupported("the codec %q", name)
}

// dictionaryLimit is how many values a dictionary may hold before a row group stores a column without one. DuckDB's own
// limit, a fifth of the rows, makes it build dictionaries that it then throws away: a third of the time of a write.
const dictionaryLimit = 8192

// copyTo emits the COPY statement of a write.
func (e *emitter) copyTo(q rel.Node, to engine.Dest, st *staging) (string, error) {
	cols, err := e.stored(q, to)
	if err != nil {
		return "", err
	}
	body, err := e.statement(q)
	if err != nil {
		return "", err
	}
	codec := to.Physical.Codec
	if codec == "" {
		codec = "snappy"
	}
	options := []string{"FORMAT parquet", "RETURN_STATS", "COMPRESSION " + codec, fmt.Sprintf("DICTIONARY_SIZE_LIMIT %d", dictionaryLimit)}
	if !to.Physical.V1 {
		options = append(options, "PARQUET_VERSION V2")
	}
	if ids := fieldIDs(to); ids != "" {
		options = append(options, "FIELD_IDS "+ids)
	}
	target := st.file
	switch {
	case len(to.Partition) > 0:
		target = st.dir
		options = append(options, "PARTITION_BY ("+strings.Join(partitionNames(to), ", ")+")", "FILENAME_PATTERN 'f{uuid}'", "OVERWRITE_OR_IGNORE")
	case to.FileSize > 0:
		target = st.dir
		options = append(options, fmt.Sprintf("FILE_SIZE_BYTES %d", to.FileSize), "FILENAME_PATTERN 'f{uuid}'", "OVERWRITE_OR_IGNORE")
	default:
		// Go rows come without an order that DuckDB could keep by several threads.
		keep := sorted(q) || len(e.streams) == 0
		options = append(options, "USE_TMP_FILE false", fmt.Sprintf("PRESERVE_ORDER %t", keep))
	}
	return "COPY (SELECT " + strings.Join(cols, ", ") + " FROM (" + body + ")) TO " + literal(target) + " (" + strings.Join(options, ", ") + ")", nil
}

// sorted reports whether the rows of n come in an order that somebody asked for.
func sorted(n rel.Node) bool {
	switch n := n.(type) {
	case *rel.Sort:
		return true
	case *rel.Project:
		return sorted(n.In)
	case *rel.Limit:
		return sorted(n.In)
	case *rel.Filter:
		return sorted(n.In)
	}
	return false
}

// stored emits the columns of the files under their names, then the texts that rows are partitioned by.
func (e *emitter) stored(q rel.Node, to engine.Dest) ([]string, error) {
	have := map[rel.ID]rel.Column{}
	for _, c := range q.Columns() {
		have[c.ID] = c
	}
	var cols []string
	for i, d := range to.Columns {
		if d.Made == engine.FileName {
			continue
		}
		c, ok := have[d.ID]
		if !ok {
			return nil, fmt.Errorf("duckdb: column %s is not among the rows to write", d.Field.Name)
		}
		if slices.Contains(to.Partition, i) {
			continue
		}
		x, err := e.convert(name(c.ID), c.Type, d.Field.Type)
		if err != nil {
			return nil, err
		}
		cols = append(cols, x+" AS "+ident(d.Field.Name))
	}
	names := partitionNames(to)
	for i, p := range to.Partition {
		d := to.Columns[p]
		x, err := e.convert(name(d.ID), have[d.ID].Type, d.Field.Type)
		if err != nil {
			return nil, err
		}
		key, err := partitionKey(x, d.Field.Type)
		if err != nil {
			return nil, err
		}
		cols = append(cols, key+" AS "+names[i])
	}
	return cols, nil
}

// partitionNames are names for the partition texts that no stored column has.
func partitionNames(to engine.Dest) []string {
	prefix := "p"
	for slices.ContainsFunc(to.Columns, func(d engine.DestColumn) bool { return strings.HasPrefix(strings.ToLower(d.Field.Name), prefix) }) {
		prefix += "_"
	}
	names := make([]string, len(to.Partition))
	for i := range names {
		names[i] = ident(fmt.Sprintf("%s%d", prefix, i))
	}
	return names
}
