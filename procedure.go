package tarn

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/tarn-lake/tarn/lake"
	"github.com/tarn-lake/tarn/storage"
	"github.com/tarn-lake/tarn/types"
)

// ownCall is how a session carries out a procedure that is not one table's: it makes tables and views, or looks at other folders. It is
// nil for the others.
func (r *run) ownCall(name string) func(context.Context, map[string]types.Value) ([][]types.Value, error) {
	switch name {
	case "commits_compare":
		return r.compareCommits
	case "copy_to_table":
		return r.copyToTable
	case "copy_to_temp_view":
		return r.copyToView
	case "show_fs_path_detail":
		return r.pathDetail
	}
	return nil
}

// given is a text among arguments; "" when it is not given.
func given(args map[string]types.Value, name string) string { s, _ := args[name].(string); return s }

// compareCommits tells which commits of two tables the other does not have, by their last ones.
func (r *run) compareCommits(ctx context.Context, args map[string]types.Value) ([][]types.Value, error) {
	name := given(args, "table")
	e, full, err := r.namedEntry(ctx, name, nil)
	if err != nil {
		return nil, err
	}
	source, err := r.instantsOf(ctx, e, full)
	if err != nil {
		return nil, err
	}
	if e, err = r.pathEntry(ctx, "hudi", given(args, "path")); err != nil {
		return nil, err
	}
	other, err := r.instantsOf(ctx, e, nil)
	if err != nil {
		return nil, err
	}
	last := func(list []string) string {
		if len(list) == 0 {
			return "0"
		}
		return list[len(list)-1]
	}
	word, from, after := "ahead", source, last(other)
	if last(other) > last(source) {
		word, from, after = "behind", other, last(source)
	}
	more := slices.DeleteFunc(from, func(at string) bool { return at <= after })
	return [][]types.Value{{fmt.Sprintf("Source %s is %s by %d commits. Commits to catch up - [%s]", name, word, len(more), strings.Join(more, ", "))}}, nil
}

// instantsOf are the times of a Hudi table's commits, oldest first.
func (r *run) instantsOf(ctx context.Context, e lake.Entry, full lake.Ident) ([]string, error) {
	if e.Format != "hudi" {
		return nil, unsupported("CALL commits_compare on a table of the format "+e.Format, nil)
	}
	t, err := r.open(ctx, e)
	if err != nil {
		return nil, r.missing(ctx, err, e, full)
	}
	var out []string
	for c, err := range t.History(ctx) {
		if err != nil {
			return nil, err
		}
		out = append(out, c.TxnID)
	}
	slices.Reverse(out)
	return out, nil
}

// copied is what procedures that copy answer.
var copied = [][]types.Value{{int64(0)}}

func (r *run) copyToTable(ctx context.Context, args map[string]types.Value) ([][]types.Value, error) {
	q, err := r.copyQuery(ctx, args)
	if err != nil {
		return nil, err
	}
	_, err = r.Session.Write(q).Mode(SaveMode(strings.ToLower(given(args, "save_mode")))).SaveAsTable(ctx, given(args, "new_table"))
	return copied, err
}

func (r *run) copyToView(ctx context.Context, args map[string]types.Value) ([][]types.Value, error) {
	q, err := r.copyQuery(ctx, args)
	if err != nil {
		return nil, err
	}
	create := "CREATE "
	if replace, _ := args["replace"].(bool); replace {
		create += "OR REPLACE "
	}
	if global, _ := args["global"].(bool); global {
		create += "GLOBAL "
	}
	_, err = r.Session.Exec(ctx, create+"TEMPORARY VIEW "+types.QuoteIfNeeded(given(args, "view_name"))+" AS "+q)
	return copied, err
}

// copyQuery is the query of the rows that a copy is to have.
func (r *run) copyQuery(ctx context.Context, args map[string]types.Value) (string, error) {
	from := "hudi." + quoted(lake.Ident{given(args, "path")})
	if name := given(args, "table"); name != "" {
		_, full, err := r.namedEntry(ctx, name, nil)
		if err != nil {
			return "", err
		}
		if from = name; full != nil {
			from = quoted(full)
		}
	}
	options, err := copyOptions(args)
	if err != nil {
		return "", err
	}
	columns := "*"
	if list := given(args, "columns"); list != "" {
		var names []string
		for name := range strings.SplitSeq(list, ",") {
			names = append(names, quoted(lake.Ident{strings.TrimSpace(name)}))
		}
		columns = strings.Join(names, ", ")
	}
	return "SELECT " + columns + " FROM " + from + options, nil
}

// copyOptions are the reader's options of a copy, as a query writes them.
func copyOptions(args map[string]types.Value) (string, error) {
	begin, end := given(args, "begin_instance_time"), given(args, "end_instance_time")
	with := func(pairs ...string) string {
		var out []string
		for i := 0; i < len(pairs); i += 2 {
			out = append(out, quoteText(pairs[i])+" = "+quoteText(pairs[i+1]))
		}
		return " WITH (" + strings.Join(out, ", ") + ")"
	}
	switch kind := given(args, "query_type"); kind {
	case "snapshot":
		if at := given(args, "as_of_instant"); at != "" {
			return with("as.of.instant", at), nil
		}
		return "", nil
	case "read_optimized":
		return with("hoodie.datasource.query.type", kind), nil
	case "incremental":
		if begin == "" || end == "" {
			return "", badCopy(args, "an incremental query needs begin_instance_time and end_instance_time")
		}
		return with("hoodie.datasource.query.type", kind, "hoodie.datasource.read.begin.instanttime", begin, "hoodie.datasource.read.end.instanttime", end), nil
	default:
		return "", badCopy(args, "the query_type "+kind+" is not one of snapshot, read_optimized and incremental")
	}
}

func badCopy(args map[string]types.Value, reason string) error {
	return fail("HUDI_INVALID_OPTION", nil, "operation", "copy", "table", cmp.Or(given(args, "table"), given(args, "path")), "reason", reason)
}

// usage is how much lies under a path.
type usage struct {
	path               string
	folders            map[string]bool
	files, bytes, rank int64
}

func (u *usage) add(f storage.Info, name string) {
	u.files++
	u.bytes += f.Size
	for i := range len(name) {
		if name[i] == '/' {
			u.folders[name[:i]] = true
		}
	}
}

func (u *usage) row() []types.Value {
	// Hudi names the last three columns in another order than it fills them: quota, space consumed, quota of space.
	return []types.Value{int64(len(u.folders)), u.files, u.bytes, unitsOf(u.bytes), fileURL(u.path), int64(-1), u.bytes, int64(-1)}
}

// pathDetail counts the files under a path, or under each thing in it.
func (r *run) pathDetail(ctx context.Context, args map[string]types.Value) ([][]types.Value, error) {
	root := absolute(given(args, "path"))
	b, err := r.db.opts.Bucket(ctx, root)
	if err != nil {
		return nil, err
	}
	all := &usage{path: root, folders: map[string]bool{"": true}}
	parts := map[string]*usage{}
	for f, err := range b.List(ctx, "", "") {
		if err != nil {
			return nil, err
		}
		all.add(f, f.Name)
		first, rest, deep := strings.Cut(f.Name, "/")
		u := parts[first]
		if u == nil {
			u = &usage{path: root + "/" + first, folders: map[string]bool{}, rank: int64(len(parts))}
			parts[first] = u
		}
		if deep {
			u.folders[""] = true
		}
		u.add(f, rest)
	}
	list := []*usage{all}
	if sub, _ := args["is_sub"].(bool); sub {
		list = nil
		for _, u := range parts {
			list = append(list, u)
		}
	}
	slices.SortFunc(list, func(a, b *usage) int { return cmp.Compare(a.rank, b.rank) })
	if sorted, _ := args["sort"].(bool); sorted {
		slices.SortStableFunc(list, func(a, b *usage) int { return cmp.Compare(b.bytes, a.bytes) })
	}
	var rows [][]types.Value
	for _, u := range list {
		rows = append(rows, u.row())
	}
	return rows, nil
}

// unitsOf is a number of bytes for people: 1.90MB.
func unitsOf(n int64) string {
	size, units := float64(n), []string{"B", "KB", "MB", "GB", "TB", "PB"}
	for size >= 1024 && len(units) > 1 {
		size, units = size/1024, units[1:]
	}
	return fmt.Sprintf("%.2f%s", size, units[0])
}
