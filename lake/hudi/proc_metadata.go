package hudi

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"path"
	"slices"
	"strconv"
	"strings"

	"github.com/tarn-lake/tarn/lake"
	"github.com/tarn-lake/tarn/lake/hudi/config"
	"github.com/tarn-lake/tarn/lake/hudi/logfile"
	"github.com/tarn-lake/tarn/lake/hudi/metadata"
	"github.com/tarn-lake/tarn/lake/hudi/timeline"
	"github.com/tarn-lake/tarn/types"
)

// metadataProcedures tell of the metadata table.
func metadataProcedures() []procedure {
	return []procedure{
		{"show_metadata_table_partitions", "Shows the partitions that the metadata table knows.", []lake.Param{tableParam(), limitParam(-1)},
			columns("partition"), showMetadataPartitions},
		{"show_metadata_table_files", "Shows the files of a partition that the metadata table knows.",
			[]lake.Param{tableParam(), optional("partition", types.String, "", "a partition"), limitParam(100)}, columns("file_path"), showMetadataFiles},
		{"show_metadata_table_stats", "Shows how large the metadata table is, by its partitions.", []lake.Param{tableParam()},
			columns("stat_key", "stat_value"), showMetadataStats},
		{"show_metadata_table_column_stats", "Shows what the metadata table knows of the values of columns in files.",
			[]lake.Param{tableParam(), optional("partition", types.String, nil, "a partition; all where not given"),
				optional("targetColumns", types.String, nil, "columns, joined by commas; all where not given")},
			columns("file_name", "column_name", "min_value", "max_value", "null_num bigint"), showMetadataColumnStats},
		{"validate_metadata_table_files", "Compares the files that the metadata table knows with those that are there.",
			[]lake.Param{tableParam(), optional("verbose", types.Boolean, false, "equal files too")},
			columns("partition", "file_name", "is_present_in_fs boolean", "is_present_in_metadata boolean", "fs_size bigint", "metadata_size bigint"),
			validateMetadataFiles},
		{"create_metadata_table", "Makes the metadata table of a table that has none, from a listing of its folder, with the indexes that are usual for its version.",
			[]lake.Param{tableParam()}, columns("result"), createMetadata},
		{"init_metadata_table", "Looks whether the metadata table fits the table, and builds the usual indexes that it lacks.",
			[]lake.Param{tableParam(), optional("read_only", types.Boolean, false, "build nothing")}, columns("result"), initMetadata},
	}
}

// metadata opens the metadata table.
func (c *call) metadata(ctx context.Context) (*metadata.Table, error) {
	line, err := c.timeline(ctx)
	if err != nil {
		return nil, err
	}
	m, err := metadata.Open(ctx, c.bucket, c.config, line)
	if errors.Is(err, metadata.ErrNone) {
		return nil, c.unfit("CALL create_metadata_table makes one.", "the table has no metadata table")
	}
	return m, err
}

// remakeMetadata is what to do about a metadata table that cannot be relied upon.
const remakeMetadata = "CALL delete_metadata_table, and create_metadata_table where one is wanted"

func showMetadataPartitions(ctx context.Context, c *call) ([][]types.Value, error) {
	m, err := c.metadata(ctx)
	if err != nil {
		return nil, err
	}
	list, err := m.Partitions(ctx)
	var rows [][]types.Value
	for _, p := range list {
		rows = append(rows, []types.Value{p})
	}
	return rows, err
}

func showMetadataFiles(ctx context.Context, c *call) ([][]types.Value, error) {
	m, err := c.metadata(ctx)
	if err != nil {
		return nil, err
	}
	files, err := m.Files(ctx, c.text("partition"))
	var rows [][]types.Value
	for _, name := range slices.Sorted(maps.Keys(files[c.text("partition")])) {
		rows = append(rows, []types.Value{name})
	}
	return rows, err
}

func showMetadataStats(ctx context.Context, c *call) ([][]types.Value, error) {
	if _, err := c.metadata(ctx); err != nil {
		return nil, err
	}
	type total struct{ bases, logs, bytes int64 }
	sums := map[string]total{}
	for info, err := range c.bucket.List(ctx, metadata.Dir, metadata.Dir+"/.hoodie0") {
		if err != nil {
			return nil, err
		}
		partition := path.Base(path.Dir(info.Name))
		s := sums[partition]
		name := path.Base(info.Name)
		if _, err := parseBaseName(name); err == nil {
			s.bases++
		} else if _, err := parseLogName(name); err == nil {
			s.logs++
		} else {
			continue
		}
		s.bytes += info.Size
		sums[partition] = s
	}
	var rows [][]types.Value
	for _, p := range slices.Sorted(maps.Keys(sums)) {
		s := sums[p]
		for _, v := range []struct {
			key string
			n   int64
		}{{"totalBaseFiles", s.bases}, {"totalLogFiles", s.logs}, {"totalBytes", s.bytes}} {
			rows = append(rows, []types.Value{p + "." + v.key, strconv.FormatInt(v.n, 10)})
		}
	}
	return rows, nil
}

func showMetadataColumnStats(ctx context.Context, c *call) ([][]types.Value, error) {
	m, err := c.metadata(ctx)
	if err != nil {
		return nil, err
	}
	s, err := c.snapshot(ctx, "", reading{}, nil)
	if err != nil {
		return nil, err
	}
	var refs []metadata.FileRef
	for _, slice := range s.slices {
		if p := c.args["partition"]; p != nil && p != slice.Partition {
			continue
		}
		for _, f := range sliceFiles(slice) {
			refs = append(refs, metadata.FileRef{Partition: slice.Partition, Name: path.Base(f)})
		}
	}
	names := strings.FieldsFunc(c.text("targetColumns"), func(r rune) bool { return r == ',' || r == ' ' })
	kinds := map[string]types.Type{}
	for _, f := range s.schema.Fields {
		if kinds[f.Name] = f.Type; c.text("targetColumns") == "" {
			names = append(names, f.Name)
		}
	}
	stats, err := m.ColumnStats(ctx, names, refs)
	if errors.Is(err, metadata.ErrNone) {
		return nil, c.unfit("CREATE INDEX column_stats ON the table USING column_stats (columns) makes them.", "the metadata table has no statistics of columns")
	}
	if err != nil {
		return nil, err
	}
	var rows [][]types.Value
	for _, ref := range refs {
		for _, name := range names {
			if st := stats[name][ref]; st != nil {
				rows = append(rows, []types.Value{ref.Name, name, boundText(st.Min, kinds[name], st.Type), boundText(st.Max, kinds[name], st.Type), max(st.Nulls, 0)})
			}
		}
	}
	return rows, nil
}

// boundText is a bound as text; NULL when it is not known.
func boundText(v metadata.Value, t types.Type, kind metadata.ValueType) types.Value {
	if t == nil {
		return nil
	}
	x, ok := v.As(t, kind)
	if !ok || x == nil {
		return nil
	}
	return valueText(x, t)
}

// fileDifference is a file of the table that the metadata table and the folder tell of differently.
type fileDifference struct {
	Partition, Name string
	InFolder, Known bool
	Size, KnownSize int64
}

// equal reports whether both tell the same.
func (d fileDifference) equal() bool { return d.InFolder && d.Known && d.Size == d.KnownSize }

// rolledBack reports whether the file is a log of a write that Hudi 0.15 or later has rolled back: its rollback says that such a log has 1 byte.
func (d fileDifference) rolledBack() bool {
	_, err := parseLogName(d.Name)
	return err == nil && d.InFolder && d.Known && d.KnownSize == 1
}

// compareMetadata compares the files that the metadata table knows with those of the folder, in the order of their names.
func (t *Table) compareMetadata(ctx context.Context, m *metadata.Table) ([]fileDifference, error) {
	partitions, err := m.Partitions(ctx)
	if err != nil {
		return nil, err
	}
	known, err := m.Files(ctx, partitions...)
	if err != nil {
		return nil, err
	}
	found := map[metadata.FileRef]*fileDifference{}
	for partition, files := range known {
		for name, size := range files {
			found[metadata.FileRef{Partition: partition, Name: name}] = &fileDifference{Partition: partition, Name: name, Known: true, KnownSize: size}
		}
	}
	groups, err := listFiles(ctx, t.bucket)
	if err != nil {
		return nil, err
	}
	line, err := t.timeline(ctx)
	if err != nil {
		return nil, err
	}
	for _, f := range groups.files() {
		ref := metadata.FileRef{Partition: f.partition, Name: path.Base(f.path)}
		d := found[ref]
		if d == nil {
			// A file of a write that is not completed is not known to anybody.
			done, err := t.completed(ctx, line, f)
			if err != nil {
				return nil, err
			}
			if !done {
				continue
			}
			d = &fileDifference{Partition: f.partition, Name: ref.Name}
			found[ref] = d
		}
		d.InFolder, d.Size = true, f.size
	}
	out := make([]fileDifference, 0, len(found))
	for _, d := range found {
		out = append(out, *d)
	}
	slices.SortFunc(out, func(a, b fileDifference) int {
		return slices.Compare([]string{a.Partition, a.Name}, []string{b.Partition, b.Name})
	})
	return out, nil
}

// completed reports whether a completed write has made a file, or a part of it. Up to version 6 the name of a log file tells its
// slice, and only its blocks tell their writes.
func (t *Table) completed(ctx context.Context, line *timeline.Timeline, f foundFile) (bool, error) {
	_, done := line.CompletionOf(f.instant)
	if _, err := parseLogName(path.Base(f.path)); err != nil || !done || t.config.Version >= 8 {
		return done, nil
	}
	done = false
	err := t.blocksOf(ctx, f.path, func(b *logfile.Block) error {
		if at := b.Instant(); at != "" {
			_, ok := line.CompletionOf(at)
			done = done || ok
		}
		return nil
	})
	return done, err
}

// foundFile is a data file as a listing finds it.
type foundFile struct {
	partition, path, instant string
	size                     int64
}

// files are all files of the groups.
func (g groups) files() []foundFile {
	var out []foundFile
	for _, f := range g.sorted() {
		for _, b := range f.bases {
			out = append(out, foundFile{f.partition, b.Path, b.Instant, b.Size})
		}
		for _, l := range f.logs {
			out = append(out, foundFile{f.partition, l.Path, l.Instant, l.Size})
		}
	}
	return out
}

func validateMetadataFiles(ctx context.Context, c *call) ([][]types.Value, error) {
	m, err := c.metadata(ctx)
	if err != nil {
		return nil, err
	}
	list, err := c.compareMetadata(ctx, m)
	if err != nil {
		return nil, err
	}
	var rows [][]types.Value
	for _, d := range list {
		if !d.equal() || c.flag("verbose") {
			rows = append(rows, []types.Value{d.Partition, d.Name, d.InFolder, d.Known, d.Size, d.KnownSize})
		}
	}
	return rows, nil
}

// createMetadata makes a metadata table that names the files of completed writes, and the indexes of the release of its version.
func createMetadata(ctx context.Context, c *call) ([][]types.Value, error) {
	if err := c.ready(ctx, c.engine); err != nil {
		return nil, err
	}
	var files int
	err := c.locked(ctx, c.settings(nil), func(line *timeline.Timeline) error {
		now, err := config.Load(ctx, c.bucket)
		if err != nil {
			return err
		}
		if len(now.MetadataPartitions) > 0 {
			return c.unfit("CALL delete_metadata_table first, or CALL init_metadata_table, which builds the indexes that the metadata table lacks.",
				"the table has a metadata table already")
		}
		if pending := line.Pending(); len(pending) > 0 {
			return fmt.Errorf("%s is pending; complete it or roll it back first", pending[0])
		}
		files, err = c.makeMetadata(ctx, line)
		return err
	})
	if err == nil {
		err = c.buildWished(ctx, c.engine, c.settings(nil), c.wishedPartitions(c.settings(nil)))
	}
	return [][]types.Value{{fmt.Sprintf("Created the metadata table of %d files", files)}}, err
}

// initMetadata opens the metadata table, and builds the usual indexes that it lacks.
func initMetadata(ctx context.Context, c *call) ([][]types.Value, error) {
	if _, err := c.metadata(ctx); err != nil {
		return nil, err
	}
	if c.flag("read_only") {
		return [][]types.Value{{"Opened the metadata table"}}, nil
	}
	return [][]types.Value{{"Initialized the metadata table"}}, c.buildWished(ctx, c.engine, c.settings(nil), c.wishedPartitions(c.settings(nil)))
}

// makeMetadata makes the metadata table of a table that has none, with the files of completed writes, and counts these. Whoever calls it
// holds the lock.
func (t *Table) makeMetadata(ctx context.Context, line *timeline.Timeline) (files int, err error) {
	now, err := config.Load(ctx, t.bucket)
	if err != nil {
		return 0, err
	}
	groups, err := listFiles(ctx, t.bucket)
	if err != nil {
		return 0, err
	}
	n := metadata.New{Partitions: []string{metadata.FilesPartition}}
	for _, f := range groups.files() {
		if _, done := line.CompletionOf(f.instant); done {
			ref := metadata.FileRef{Partition: f.partition, Name: path.Base(f.path)}
			n.Present.Added = append(n.Present.Added, metadata.NewFile{FileRef: ref, Size: f.size, Bounds: []metadata.Bounds{}})
		}
	}
	_, err = metadata.Create(ctx, t.bucket, now, line, n)
	return len(n.Present.Added), err
}
