package delta

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/tarn-lake/tarn/internal/bitmap"
	"github.com/tarn-lake/tarn/lake"
	"github.com/tarn-lake/tarn/storage"
)

// Check looks for what breaks the promises of a Delta table: that its versions follow each other, that its commits can be
// read and name each file once, that checkpoints say what the commits say, that live files and deletion vectors are there
// and as large as the log says, and that its protocol is known. Rows are not read. The error says why it could not look.
func Check(ctx context.Context, b storage.Bucket) ([]lake.Finding, error) {
	c := &checker{ctx: ctx, table: new(Format).table(lake.Entry{Bucket: b, Location: "."}), sizes: map[string]int64{}}
	for info, err := range b.List(ctx, "", "") {
		if err != nil {
			c.found(lake.Warning, info.Name, "cannot be listed: "+err.Error(), "check its permissions")
			continue
		}
		c.sizes[info.Name] = info.Size
	}
	l, err := c.table.list(ctx, 0)
	if err != nil {
		return nil, err
	}
	if len(l.commits) == 0 && len(l.checkpoints) == 0 {
		return nil, c.table.missing()
	}
	c.versions(l)
	c.commits(l)
	c.checkpoints(l)
	c.hint(l)
	c.state()
	return c.findings, ctx.Err()
}

type checker struct {
	ctx      context.Context
	table    *Table
	sizes    map[string]int64 // of all files in the table's folder
	findings []lake.Finding
}

func (c *checker) found(s lake.Severity, where, what, remedy string) {
	c.findings = append(c.findings, lake.Finding{Severity: s, Where: where, What: what, Remedy: remedy})
}

// versions checks that no commit is missing.
func (c *checker) versions(l *listing) {
	next := int64(0)
	if len(l.commits) > 0 {
		next = l.commits[0].version
	}
	if l.earliest() < 0 {
		c.found(lake.Damage, logDir, fmt.Sprintf("the log starts at version %d, and no checkpoint stands for what came before", next),
			"restore the older commits or a checkpoint")
	}
	for _, f := range l.commits {
		if f.version != next {
			c.found(lake.Damage, commitName(next), fmt.Sprintf("is missing: version %d follows version %d", f.version, next-1), "restore the file, or copy the whole _delta_log again")
		}
		next = f.version + 1
	}
}

// commits checks the lines of each commit.
func (c *checker) commits(l *listing) {
	for _, f := range l.commits {
		seen := map[string]string{}
		err := c.table.eachAction(c.ctx, f.Name, func(a Action) error {
			var key FileKey
			var err error
			kind := ""
			switch a := a.(type) {
			case *Add:
				key, err = a.Key()
				kind = "add"
			case *Remove:
				key, err = a.Key()
				kind = "remove"
			default:
				return nil
			}
			if err != nil {
				return err
			}
			if before := seen[key.Path+"\x00"+key.VectorID]; before != "" {
				c.found(lake.Warning, f.Name, fmt.Sprintf("names %s twice, as %s and %s", key.Path, before, kind), "report it to the maker of the writer; the last line counts")
			}
			seen[key.Path+"\x00"+key.VectorID] = kind
			return nil
		})
		if err != nil {
			c.found(lake.Damage, f.Name, cause(err), "restore the file from a backup; no line of it is skipped")
		}
	}
}

// cause is an error without the parts that a finding says itself.
func cause(err error) string {
	var e *lake.Error
	if errors.As(err, &e) && e.Err != nil {
		return e.Err.Error()
	}
	return err.Error()
}

// checkpoints compares each whole checkpoint with what the commits before it give, where these are still there.
func (c *checker) checkpoints(l *listing) {
	var state *State // after the commits before next
	next := int64(0)
	for _, v := range slices.Sorted(maps.Keys(l.checkpoints)) {
		files := l.complete(v)
		if files == nil {
			c.found(lake.Warning, checkpointName(v), "the checkpoint has not all of its parts", "none is needed: it is not used")
			continue
		}
		said := new(State)
		var failed error
		for _, f := range files {
			failed = errors.Join(failed, c.table.applyCheckpoint(c.ctx, said, f))
		}
		if failed != nil {
			c.found(lake.Damage, files[0].Name, cause(failed), "delete it if the commits before it are still there, else restore it")
			continue
		}
		if state == nil && len(l.commits) > 0 && l.commits[0].version == 0 {
			state = new(State)
		}
		if state != nil {
			state = c.advance(l, state, next, v)
		}
		if state != nil {
			c.compare(files[0].Name, said, state)
		} else {
			state = said.Clone()
		}
		next = v + 1
	}
}

// advance applies the commits from version from to to; nil when it cannot.
func (c *checker) advance(l *listing, s *State, from, to int64) *State {
	for _, f := range l.commits {
		if f.version < from || f.version > to {
			continue
		}
		if f.version != from || c.table.eachAction(c.ctx, f.Name, s.Apply) != nil {
			return nil
		}
		from++
	}
	if from != to+1 {
		return nil
	}
	return s
}

// compare says how a checkpoint differs from the commits. Tombstones may be left out of one.
func (c *checker) compare(name string, said, is *State) {
	for key := range said.Files {
		if is.Files[key] == nil {
			c.found(lake.Damage, name, "holds the file "+key.Path+", which the commits removed", "delete the checkpoint")
		}
	}
	for key := range is.Files {
		if said.Files[key] == nil {
			c.found(lake.Damage, name, "lacks the live file "+key.Path, "delete the checkpoint")
		}
	}
	if said.Metadata == nil || is.Metadata == nil || !sameMetadata(said.Metadata, is.Metadata) {
		c.found(lake.Damage, name, "has other metadata than the commits", "delete the checkpoint")
	}
	if said.Protocol == nil || is.Protocol == nil || !sameProtocol(*said.Protocol, *is.Protocol) {
		c.found(lake.Damage, name, "has another protocol than the commits", "delete the checkpoint")
	}
	for app, t := range said.Txns {
		if o := is.Txns[app]; o == nil || o.Version != t.Version {
			c.found(lake.Damage, name, "has another transaction version of the application "+app, "delete the checkpoint")
		}
	}
}

// hint checks _last_checkpoint, which only makes reading faster.
func (c *checker) hint(l *listing) {
	if _, there := c.sizes[lastCheckpoint]; !there {
		return
	}
	if v, err := c.table.hint(c.ctx); err == nil && (v < 0 || l.complete(v) == nil) {
		c.found(lake.Warning, lastCheckpoint, "does not point to a checkpoint that is there", "none is needed: tarn lists the log; some clients fail, deleting the file helps them")
	}
}

// state checks the latest version.
func (c *checker) state() {
	s, err := c.table.latest(c.ctx)
	if err != nil {
		c.found(lake.Damage, "", err.Error(), "see the findings above")
		return
	}
	if err := c.table.writable(s.state.Protocol); err != nil {
		c.found(lake.Note, "", cause(err), "tarn reads the table, but does not write it")
	}
	files, err := s.files()
	if err != nil {
		c.found(lake.Damage, "", err.Error(), "restore an older version")
		return
	}
	named := map[string]bool{}
	for _, a := range files {
		c.file(s, a, named)
	}
	for key := range s.state.Tombstones {
		named[key.Path] = true
	}
	c.orphans(named)
}

// file checks one live file, and notes what it names.
func (c *checker) file(s *Snapshot, a *Add, named map[string]bool) {
	path, err := PathKey(a.Path)
	if err != nil {
		c.found(lake.Damage, a.Path, err.Error(), "")
		return
	}
	named[path] = true
	if size, there := c.sizes[path]; !strings.HasPrefix(path, "/") && !there {
		c.found(lake.Damage, path, "is missing, but the table needs it", "restore it from a backup, or restore an older version")
	} else if there && size != a.Size {
		c.found(lake.Damage, path, fmt.Sprintf("has %d bytes, but the log says %d", size, a.Size), "restore it from a backup, or restore an older version")
	}
	if len(a.PartitionValues) != len(s.partition) {
		c.found(lake.Damage, path, fmt.Sprintf("has %d partition values, but the table has %d partition columns", len(a.PartitionValues), len(s.partition)), "")
	}
	if a.DeletionVector != nil {
		if err := c.vector(s, a, named); err != nil {
			c.found(lake.Damage, path, cause(err), "restore the file of its deletion vector, or an older version: deleted rows would come back")
		}
	}
}

// vector reads the deletion vector of a.
func (c *checker) vector(s *Snapshot, a *Add, named map[string]bool) error {
	var set *bitmap.Set
	set, err := s.vector(c.ctx, a)
	if err != nil {
		return err
	}
	if a.DeletionVector.StorageType == "u" {
		if name, err := vectorFile(a.DeletionVector.PathOrInlineDV); err == nil {
			named[name] = true
		}
	}
	if last, ok := set.Max(); ok && s.rows(a) >= 0 && last >= uint64(s.rows(a)) {
		return fmt.Errorf("its deletion vector names row %d, but it has %d rows", last, s.rows(a))
	}
	return nil
}

// orphans counts the files that the latest version does not name and that are no tombstones.
func (c *checker) orphans(named map[string]bool) {
	n, bytes := 0, int64(0)
	for name, size := range c.sizes {
		if !strings.HasPrefix(name, "_") && !strings.HasPrefix(name, ".") && !named[name] {
			n++
			bytes += size
		}
	}
	if n > 0 {
		c.found(lake.Note, "", fmt.Sprintf("%d files with %d bytes are not part of the latest version", n, bytes), "VACUUM removes those that no retained version needs")
	}
}
