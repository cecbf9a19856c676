package timeline

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strconv"
	"strings"

	"github.com/tarn-lake/tarn/internal/parquet"
	"github.com/tarn-lake/tarn/storage"
)

// The archive of layout 2 is a tree of Parquet files, of which a manifest tells
// which are in force, and a file of which manifest is:
//
//	history/_version_             3
//	history/manifest_3            {"files" : [ {"fileName" : "…", "fileLen" : 4711} ]}
//	history/<min>_<max>_0.parquet actions requested from min to max; layer 0
//	history/<min>_<max>_1.parquet files of layer 0 made one
const (
	versionFile    = "_version_"
	manifestPrefix = "manifest_"
	maxManifest    = 64 << 20
)

// manifest lists the files in force.
type manifest struct {
	Files []historyFile `json:"files"`
}

type historyFile struct {
	Name string `json:"fileName"`
	Size int64  `json:"fileLen"`
}

// span parses the name of a file of the history.
func (f historyFile) span() (from, to string, layer int, err error) {
	parts := strings.Split(strings.TrimSuffix(f.Name, ".parquet"), "_")
	if len(parts) != 3 || !strings.HasSuffix(f.Name, ".parquet") || !digits(parts[0]) || !digits(parts[1]) {
		return "", "", 0, fmt.Errorf("name %q is not one of an archived timeline", f.Name)
	}
	layer, err = strconv.Atoi(parts[2])
	if err != nil || layer < 0 {
		return "", "", 0, fmt.Errorf("name %q has no layer", f.Name)
	}
	return parts[0], parts[1], layer, nil
}

// readManifest reads the manifest in force and its version, 0 if there is none.
// The version file may be missing for a moment; then it is the greatest that is
// there.
func (t *Timeline) readManifest(ctx context.Context) (m manifest, version int, err error) {
	text, err := storage.ReadFile(ctx, t.b, path.Join(t.Archive, versionFile), 64)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		versions, err := t.manifests(ctx)
		if err != nil || len(versions) == 0 {
			return m, 0, err
		}
		version = slices.Max(versions)
	case err != nil:
		return m, 0, err
	default:
		if version, err = strconv.Atoi(strings.TrimSpace(string(text))); err != nil || version < 1 {
			return m, 0, fmt.Errorf("%s says %q", path.Join(t.Archive, versionFile), text)
		}
	}
	m, err = t.manifest(ctx, path.Join(t.Archive, manifestPrefix+strconv.Itoa(version)))
	return m, version, err
}

func (t *Timeline) manifest(ctx context.Context, name string) (m manifest, err error) {
	data, err := storage.ReadFile(ctx, t.b, name, maxManifest)
	if err == nil {
		err = json.Unmarshal(data, &m)
	}
	for _, f := range m.Files {
		if err == nil {
			_, _, _, err = f.span()
		}
	}
	if err != nil {
		return m, fmt.Errorf("%s: %w", name, err)
	}
	return m, nil
}

// manifests are the versions of which there is a manifest.
func (t *Timeline) manifests(ctx context.Context) (versions []int, err error) {
	names, err := list(ctx, t.b, t.Archive)
	for _, name := range names {
		if n, ok := strings.CutPrefix(path.Base(name), manifestPrefix); ok {
			if v, err := strconv.Atoi(n); err == nil {
				versions = append(versions, v)
			}
		}
	}
	return versions, err
}

// readHistory reads the archived actions of layout 2.
func (t *Timeline) readHistory(ctx context.Context, from, to string) (out []Archived, err error) {
	m, _, err := t.readManifest(ctx)
	if err != nil {
		return nil, err
	}
	for _, f := range m.Files {
		first, last, _, _ := f.span()
		if last < from || to != "" && first > to {
			continue
		}
		rows, err := t.readHistoryFile(ctx, f.Name)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", f.Name, err)
		}
		for _, a := range rows {
			if inRange(a.Time, from, to) {
				out = append(out, a)
			}
		}
	}
	return out, nil
}

func (t *Timeline) readHistoryFile(ctx context.Context, name string) ([]Archived, error) {
	data, err := storage.ReadFile(ctx, t.b, path.Join(t.Archive, name), maxRecord)
	if err != nil {
		return nil, err
	}
	f, err := parquet.Open(bytes.NewReader(data), int64(len(data)), parquet.Limits{})
	if err != nil {
		return nil, err
	}
	var out []Archived
	for group := range f.Groups() {
		if out, err = appendGroup(out, f, group); err != nil {
			return nil, err
		}
	}
	return out, nil
}

func appendGroup(out []Archived, f *parquet.File, group int) ([]Archived, error) {
	var columns [5]*parquet.Vector
	for i, name := range []string{"instantTime", "completionTime", "action", "metadata", "plan"} {
		leaf, ok := f.Leaf(name)
		if !ok {
			return nil, fmt.Errorf("no column %s", name)
		}
		v, err := f.Read(group, leaf)
		if err != nil {
			return nil, err
		}
		if v.Texts == nil && v.Len > 0 || v.Len != int(f.GroupRows(group)) {
			return nil, fmt.Errorf("column %s does not hold one text a row", name)
		}
		columns[i] = v
	}
	for row := range columns[0].Len {
		var cells [5]string
		for i, v := range columns {
			if v.Set(row) {
				cells[i] = v.Texts[row]
			}
		}
		a := Archived{Instant: Instant{Time: cells[0], Completion: cells[1], Action: Action(cells[2]), State: Completed}, Metadata: []byte(cells[3])}
		if columns[4].Set(row) {
			a.Plan = []byte(cells[4])
		}
		if !digits(a.Time) || !digits(a.Completion) {
			return nil, fmt.Errorf("row %d is of instant %q, completed %q", row, a.Time, a.Completion)
		}
		out = append(out, a)
	}
	return out, nil
}
