package tarn

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"net/url"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/tarn-lake/tarn/catalog"
	"github.com/tarn-lake/tarn/internal/plan"
	"github.com/tarn-lake/tarn/internal/syntax"
	"github.com/tarn-lake/tarn/lake"
	"github.com/tarn-lake/tarn/lake/files"
	"github.com/tarn-lake/tarn/storage"
)

// viewFormat is the format of catalog entries that are views.
const viewFormat = "view"

// identOf is the name that n writes. IDENTIFIER(e) parts are computed.
func (r *run) identOf(ctx context.Context, n *syntax.Name) (lake.Ident, error) {
	var out lake.Ident
	for _, p := range n.Parts {
		if p.Expr == nil {
			out = append(out, p.Name)
			continue
		}
		e, err := plan.Expr(ctx, p.Expr, nil, r)
		if err != nil {
			return nil, err
		}
		v, err := r.Constant(ctx, e)
		if err != nil {
			return nil, err
		}
		s, ok := v.(string)
		if !ok {
			return nil, fail("NOT_A_CONSTANT_STRING.NULL", p, "name", "IDENTIFIER", "expr", "NULL")
		}
		name, err := syntax.ParseMultipartIdentifier(s)
		if err != nil {
			return nil, err
		}
		out = append(out, name.Strings()...)
	}
	return out, nil
}

// full completes a name with the current catalog and schema: catalog, schema, table.
func (r *run) full(name lake.Ident) lake.Ident {
	switch len(name) {
	case 1:
		return lake.Ident{r.catalog, r.schema, name[0]}
	case 2:
		if _, ok := r.db.opts.Catalogs[strings.ToLower(name[0])]; ok && !r.hasSchema(name[0]) {
			return lake.Ident{strings.ToLower(name[0]), defaultSchema, name[1]}
		}
		return lake.Ident{r.catalog, name[0], name[1]}
	}
	return name
}

func (r *run) hasSchema(name string) bool {
	c, err := r.catalogOf(lake.Ident{r.catalog})
	if err != nil {
		return false
	}
	_, err = c.Schema(context.Background(), name)
	return err == nil
}

// catalogOf is the catalog that a full name starts with.
func (r *run) catalogOf(full lake.Ident) (catalog.Catalog, error) {
	for name, c := range r.db.opts.Catalogs {
		if strings.EqualFold(name, full[0]) {
			return c, nil
		}
	}
	return nil, fail("REQUIRES_SINGLE_PART_NAMESPACE", nil, "sessionCatalog", DefaultCatalog,
		"namespace", quoted(full[:len(full)-1]))
}

// lookup finds what a name means in the catalogs. The name that it gives is full.
func (r *run) lookup(ctx context.Context, name lake.Ident) (lake.Entry, lake.Ident, error) {
	full := r.full(name)
	if len(full) != 3 || slices.Contains(full, "") {
		return lake.Entry{}, full, fs.ErrNotExist
	}
	c, err := r.catalogOf(full)
	if err != nil {
		return lake.Entry{}, full, fs.ErrNotExist
	}
	e, err := c.Lookup(ctx, full[1:])
	if err != nil {
		return lake.Entry{}, full, err
	}
	return e, append(lake.Ident{strings.ToLower(full[0])}, e.Name...), nil
}

// entryOf is lookup for a table or, where the first part is a format, for a path. The full name is nil for a path.
func (r *run) entryOf(ctx context.Context, name lake.Ident) (lake.Entry, lake.Ident, error) {
	e, full, err := r.lookup(ctx, name)
	if err == nil || !errors.Is(err, fs.ErrNotExist) {
		return e, full, err
	}
	if len(name) == 2 && r.isFormat(name[0]) {
		e, err := r.pathEntry(ctx, strings.ToLower(name[0]), name[1])
		return e, nil, err
	}
	return e, full, err
}

func (r *run) isFormat(name string) bool {
	_, ok := r.db.opts.Formats[strings.ToLower(name)]
	return ok
}

// pathEntry is the table of a format at a path.
func (r *run) pathEntry(ctx context.Context, format, path string) (lake.Entry, error) {
	if path == "" {
		return lake.Entry{}, fail("INVALID_EMPTY_LOCATION", nil, "location", "")
	}
	if files.Is(format) {
		return r.filesEntry(ctx, format, path)
	}
	b, err := r.db.opts.Bucket(ctx, path)
	if err != nil {
		return lake.Entry{}, err
	}
	return lake.Entry{Format: format, Location: absolute(path), Bucket: b, External: true}, nil
}

// filesEntry is pathEntry for plain files: path is a folder, a file, or a pattern of either.
func (r *run) filesEntry(ctx context.Context, format, path string) (lake.Entry, error) {
	location := absolute(path)
	dir, pattern := files.SplitPattern(location)
	b, err := r.db.opts.Bucket(ctx, dir)
	if err != nil {
		return lake.Entry{}, err
	}
	if pattern == "" {
		parent, base := filepath.Split(location)
		up, err := r.db.opts.Bucket(ctx, parent)
		if err == nil && base != "" {
			if f, err := up.Open(ctx, base); err == nil {
				f.Close()
				b, pattern = up, base
			}
		}
	}
	e := lake.Entry{Format: format, Location: location, Bucket: b, External: true, Options: map[string]string{}}
	if pattern != "" {
		e.Options[files.Pattern] = pattern
	}
	return e, nil
}

// absolute is a location as users see it: an absolute path, or a URL with a scheme.
func absolute(location string) string {
	if strings.Contains(location, "://") {
		return location
	}
	if abs, err := filepath.Abs(localPath(location)); err == nil {
		return abs
	}
	return location
}

// localPath is the path of a local location: a path, or a file: URL.
func localPath(location string) string {
	rest, ok := strings.CutPrefix(location, "file:")
	if !ok {
		return location
	}
	if strings.HasPrefix(rest, "//") {
		if u, err := url.Parse(location); err == nil && (u.Host == "" || u.Host == "localhost") {
			return u.Path
		}
	}
	return rest
}

// localBucket opens a local location.
func localBucket(ctx context.Context, location string) (storage.Bucket, error) {
	if scheme, _, ok := strings.Cut(location, "://"); ok && scheme != "file" {
		return nil, &Error{Class: "UNSUPPORTED_FEATURE.TARN", SQLState: "0A000",
			Message: "No storage is set up for locations of the scheme " + scheme + ".",
			Hint:    "Options.Bucket opens locations that are not local paths."}
	}
	return storage.OpenLocal(localPath(location))
}

// open opens the table of an entry.
func (r *run) open(ctx context.Context, e lake.Entry) (lake.Table, error) {
	f, ok := r.db.opts.Formats[e.Format]
	if !ok {
		return nil, fail("DATA_SOURCE_NOT_FOUND", nil, "provider", e.Format)
	}
	return f.Open(ctx, e)
}

// Table is the state of a table that the statement reads.
func (r *run) Table(ctx context.Context, name lake.Ident, at lake.At, options map[string]string) (*plan.Source, error) {
	if v := r.temporary(name); v != nil && v.source != nil {
		return v.source(ctx, r)
	}
	e, full, err := r.entryOf(ctx, name)
	if err != nil {
		return nil, err
	}
	if full == nil && !files.Is(e.Format) {
		e, at, err = r.travelInPath(ctx, e, name[1], at)
		if err != nil {
			return nil, err
		}
	}
	e.Options = withOptions(e.Options, options)
	snap, err := r.snapshot(ctx, e, at, full)
	if err != nil {
		return nil, err
	}
	return &plan.Source{Name: full, Of: padded(snap, e.Format), Schema: snap.Meta().Schema}, nil
}

// snapshot is the state of a table as of at: within one statement, always the same.
func (r *run) snapshot(ctx context.Context, e lake.Entry, at lake.At, full lake.Ident) (lake.Snapshot, error) {
	key := e.Format + "\x00" + e.Location
	if tx, ok := r.stmt.snapshots[key].(lake.Tx); ok && at == (lake.At{}) {
		return tx, nil
	}
	options := withOptions(r.formatSettings(e.Format), e.Options)
	if len(options) > 0 {
		key += "\x00" + fmt.Sprint(options) // in the order of the keys
	}
	switch {
	case at.Version != nil:
		key += "\x00v" + strconv.FormatInt(*at.Version, 10)
	case at.Time != nil:
		key += "\x00t" + at.Time.String()
	}
	if s, ok := r.stmt.snapshots[key]; ok {
		return s, nil
	}
	t, err := r.open(ctx, e)
	if err == nil {
		var s lake.Snapshot
		if s, err = read(ctx, t, at, options); err == nil {
			r.stmt.snapshots[key] = s
			return s, nil
		}
	}
	return nil, r.missing(ctx, err, e, full)
}

// read is the state of t as of at, or the one that options name where t knows them.
func read(ctx context.Context, t lake.Table, at lake.At, options map[string]string) (lake.Snapshot, error) {
	if q, ok := t.(lake.Querier); ok && len(options) > 0 && at == (lake.At{}) {
		return q.Query(ctx, options)
	}
	return t.Snapshot(ctx, at)
}

// noTableAt says that there is no table of the format of e, and which there is.
func (r *run) noTableAt(ctx context.Context, e lake.Entry) error {
	failed := &plan.Error{Class: "PATH_NOT_FOUND", Params: map[string]string{"path": fileURL(e.Location)}}
	if e.Format == "hudi" {
		failed.Hint = "A Hudi table is a folder that holds .hoodie/hoodie.properties. Relative paths start at the current folder of the process."
	}
	for _, format := range slices.Sorted(maps.Keys(r.db.opts.Formats)) {
		if format == e.Format || files.Is(format) {
			continue
		}
		other := e
		other.Format = format
		t, err := r.db.opts.Formats[format].Open(ctx, other)
		if err == nil {
			_, err = t.Snapshot(ctx, lake.At{})
		}
		if err == nil {
			failed.Hint = "There is a " + format + " table: " + format + ".`" + e.Location + "` names it."
		}
	}
	return failed
}

// missing makes "not there" of a table by path, or behind a catalog entry, an error that says so.
func (r *run) missing(ctx context.Context, err error, e lake.Entry, full lake.Ident) error {
	if !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	if full == nil {
		return r.noTableAt(ctx, e)
	}
	var known *lake.Error
	if errors.As(err, &known) && known.Class != "" {
		return err
	}
	class := "DELTA_TABLE_NOT_FOUND"
	if e.Format == "hudi" {
		class = "HUDI_TABLE_NOT_FOUND"
	}
	return &lake.Error{Op: "open", Path: e.Location, Class: class,
		Params: map[string]string{"tableName": full.String(), "location": e.Location}, Err: err,
		Hint: "The catalog names this table, but its folder holds none. DROP TABLE removes the entry."}
}

var pathTravel = regexp.MustCompile(`^(.+)@(?:[vV](\d+)|(\d{17}))$`)

// travelInPath reads `path@v12` and `path@yyyyMMddHHmmssSSS`, unless a table is at the path as written.
func (r *run) travelInPath(ctx context.Context, e lake.Entry, path string, at lake.At) (lake.Entry, lake.At, error) {
	m := pathTravel.FindStringSubmatch(path)
	if m == nil || at != (lake.At{}) {
		return e, at, nil
	}
	if _, err := r.snapshot(ctx, e, at, nil); err == nil {
		return e, at, nil
	}
	if m[2] != "" || e.Format == "hudi" {
		v, err := strconv.ParseInt(m[2]+m[3], 10, 64)
		if err != nil {
			return e, at, err
		}
		at.Version = &v
	} else {
		zone, err := time.LoadLocation(r.setting("spark.sql.session.timeZone"))
		if err != nil {
			zone = time.UTC
		}
		t, err := time.ParseInLocation("20060102150405.000", m[3][:14]+"."+m[3][14:], zone)
		if err != nil {
			return e, at, err
		}
		at.Time = &t
	}
	e, err := r.pathEntry(ctx, e.Format, m[1])
	return e, at, err
}

// withOptions is a with the options of b, whose keys may be in any case, over it.
func withOptions(a, b map[string]string) map[string]string {
	if len(b) == 0 {
		return a
	}
	out := map[string]string{}
	for k, v := range a {
		out[strings.ToLower(k)] = v
	}
	for k, v := range b {
		out[strings.ToLower(k)] = v
	}
	return out
}

// quoted is a name with every part in backquotes.
func quoted(name lake.Ident) string {
	parts := make([]string, len(name))
	for i, p := range name {
		parts[i] = "`" + strings.ReplaceAll(p, "`", "``") + "`"
	}
	return strings.Join(parts, ".")
}

// notFound is the error of a table that is not there.
func notFound(name lake.Ident, at syntax.Node) error {
	return fail("TABLE_OR_VIEW_NOT_FOUND", at, "relationName", quoted(name))
}

// find is entryOf for a statement that needs the table.
func (r *run) find(ctx context.Context, n *syntax.Name) (lake.Entry, lake.Ident, error) {
	name, err := r.identOf(ctx, n)
	if err != nil {
		return lake.Entry{}, nil, err
	}
	e, full, err := r.entryOf(ctx, name)
	if errors.Is(err, fs.ErrNotExist) {
		return e, full, notFound(name, n)
	}
	return e, full, err
}
