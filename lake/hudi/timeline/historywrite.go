package timeline

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"path"
	"slices"
	"strconv"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/memory"

	"github.com/tarn-lake/tarn/internal/parquet"
	"github.com/tarn-lake/tarn/storage"
	"github.com/tarn-lake/tarn/types"
)

const (
	historyBatch    = 10 // files of a layer that become one of the next, hoodie.timeline.compaction.batch.size
	historyVersions = 3  // manifests that are kept for readers
)

// writeHistory adds actions to the archive of layout 2: a file, a manifest that
// names it, and the version of the manifest. What the archive holds already, of
// an archival that was interrupted, is not written again.
func (t *Timeline) writeHistory(ctx context.Context, old []Instant) error {
	have, err := t.readHistory(ctx, old[0].Time, old[len(old)-1].Time)
	if err != nil {
		return err
	}
	known := make(map[action]bool)
	for _, a := range have {
		known[a.key()] = true
	}
	var rows []Archived
	for _, i := range old {
		if known[i.key()] {
			continue
		}
		a, err := t.toHistory(ctx, i)
		if err != nil {
			return err
		}
		rows = append(rows, a)
	}
	m, version, err := t.readManifest(ctx)
	if err != nil || len(rows) == 0 {
		return err
	}
	f, err := t.writeHistoryFile(ctx, rows, 0)
	if err != nil {
		return err
	}
	m.Files = append(m.Files, f)
	if version, err = t.writeManifest(ctx, m, version); err != nil {
		return err
	}
	return t.compactHistory(ctx, m, version)
}

func (t *Timeline) toHistory(ctx context.Context, i Instant) (a Archived, err error) {
	a.Instant = i
	if a.Metadata, err = t.ReadRaw(ctx, i); err == nil {
		a.Plan, err = t.plan(ctx, i)
	}
	return a, err
}

// writeHistoryFile writes a file of the history, replacing one that a crash has
// left under its name and no manifest names.
func (t *Timeline) writeHistoryFile(ctx context.Context, rows []Archived, layer int) (historyFile, error) {
	data, err := encodeHistory(rows)
	if err != nil {
		return historyFile{}, err
	}
	f := historyFile{Name: fmt.Sprintf("%s_%s_%d.parquet", rows[0].Time, rows[len(rows)-1].Time, layer), Size: int64(len(data))}
	return f, storage.WriteFile(ctx, t.b, path.Join(t.Archive, f.Name), storage.Replace, data)
}

// encodeHistory makes a Parquet file of archived actions.
func encodeHistory(rows []Archived) ([]byte, error) {
	schema, err := headerSchema(schemaOf("lsm", 8))
	if err != nil {
		return nil, err
	}
	texts := [3]*array.StringBuilder{array.NewStringBuilder(memory.DefaultAllocator), array.NewStringBuilder(memory.DefaultAllocator), array.NewStringBuilder(memory.DefaultAllocator)}
	blobs := [2]*array.BinaryBuilder{array.NewBinaryBuilder(memory.DefaultAllocator, arrow.BinaryTypes.Binary), array.NewBinaryBuilder(memory.DefaultAllocator, arrow.BinaryTypes.Binary)}
	versions := array.NewInt32Builder(memory.DefaultAllocator)
	for _, a := range rows {
		for i, s := range []string{a.Time, a.Completion, string(a.Action)} {
			texts[i].Append(s)
		}
		for i, b := range [][]byte{a.Metadata, a.Plan} {
			if b == nil {
				blobs[i].AppendNull()
			} else {
				blobs[i].Append(b)
			}
		}
		versions.Append(1)
	}
	columns := []arrow.Array{texts[0].NewArray(), texts[1].NewArray(), texts[2].NewArray(), blobs[0].NewArray(), blobs[1].NewArray(), versions.NewArray()}
	var out bytes.Buffer
	w, err := parquet.NewWriter(&out, historyColumns(), parquet.WriterOptions{Required: true, Root: "org.apache.hudi.avro.model.HoodieLSMTimelineInstant"})
	if err == nil {
		err = w.Write(columns)
	}
	if err == nil {
		err = w.Close(map[string]string{"parquet.avro.schema": schema, "writer.model.name": "avro"})
	}
	return out.Bytes(), err
}

func historyColumns() []types.Field {
	return []types.Field{
		{Name: "instantTime", Type: types.String, Nullable: true},
		{Name: "completionTime", Type: types.String, Nullable: true},
		{Name: "action", Type: types.String, Nullable: true},
		{Name: "metadata", Type: types.Binary, Nullable: true},
		{Name: "plan", Type: types.Binary, Nullable: true},
		{Name: "version", Type: types.Int},
	}
}

// writeManifest makes m the manifest in force.
func (t *Timeline) writeManifest(ctx context.Context, m manifest, version int) (int, error) {
	slices.SortFunc(m.Files, func(a, b historyFile) int { return bytes.Compare([]byte(a.Name), []byte(b.Name)) })
	text, err := json.Marshal(m)
	if err != nil {
		return 0, err
	}
	version++
	name := path.Join(t.Archive, manifestPrefix+strconv.Itoa(version))
	if err := storage.WriteFile(ctx, t.b, name, storage.Replace, spaced(text)); err != nil {
		return 0, err
	}
	return version, storage.WriteFile(ctx, t.b, path.Join(t.Archive, versionFile), storage.Replace, []byte(strconv.Itoa(version)))
}

// compactHistory makes one file of the oldest files of a layer that has many, and
// so on in the next layer; then it removes manifests and files that nobody reads
// any more.
func (t *Timeline) compactHistory(ctx context.Context, m manifest, version int) error {
	layer := 0
	for ; ; layer++ {
		batch := m.oldest(layer)
		if len(batch) < historyBatch {
			break
		}
		var rows []Archived
		for _, f := range batch {
			more, err := t.readHistoryFile(ctx, f.Name)
			if err != nil {
				return err
			}
			rows = append(rows, more...)
		}
		slices.SortStableFunc(rows, func(a, b Archived) int { return cmpTime(a.Instant, b.Instant) })
		f, err := t.writeHistoryFile(ctx, rows, layer+1)
		if err != nil {
			return err
		}
		m.Files = append(slices.DeleteFunc(m.Files, func(f historyFile) bool { return slices.Contains(batch, f) }), f)
		if version, err = t.writeManifest(ctx, m, version); err != nil {
			return err
		}
	}
	return t.cleanHistory(ctx, version, historyVersions+layer)
}

// oldest are the first files of a layer, as many as become one.
func (m manifest) oldest(layer int) (out []historyFile) {
	for _, f := range m.Files { // by name, so by time
		if _, _, l, _ := f.span(); l == layer && len(out) < historyBatch {
			out = append(out, f)
		}
	}
	return out
}

// cleanHistory removes all but the last manifests, and then the files that none of
// those names.
func (t *Timeline) cleanHistory(ctx context.Context, version, keep int) error {
	versions, err := t.manifests(ctx)
	if err != nil || len(versions) <= keep {
		return err
	}
	slices.Sort(versions)
	named := make(map[string]bool)
	var drop []string
	for n, v := range versions {
		name := path.Join(t.Archive, manifestPrefix+strconv.Itoa(v))
		if n < len(versions)-keep && v < version {
			drop = append(drop, name)
			continue
		}
		m, err := t.manifest(ctx, name)
		if err != nil {
			return err
		}
		for _, f := range m.Files {
			named[path.Join(t.Archive, f.Name)] = true
		}
	}
	names, err := list(ctx, t.b, t.Archive)
	if err != nil {
		return err
	}
	for _, name := range names {
		if path.Ext(name) == ".parquet" && !named[name] {
			drop = append(drop, name)
		}
	}
	return t.b.Remove(ctx, drop...)
}
