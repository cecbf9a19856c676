package hudi

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"
	"time"

	"github.com/tarn-lake/tarn/internal/hfile"
	"github.com/tarn-lake/tarn/internal/parquet"
	"github.com/tarn-lake/tarn/lake"
	"github.com/tarn-lake/tarn/lake/hudi/bloom"
	"github.com/tarn-lake/tarn/lake/hudi/config"
	"github.com/tarn-lake/tarn/lake/hudi/logfile"
	"github.com/tarn-lake/tarn/lake/hudi/metadata"
	"github.com/tarn-lake/tarn/lake/hudi/timeline"
	"github.com/tarn-lake/tarn/storage"
)

// Check looks for what breaks the promises of a Hudi table: that its properties have the right checksum, that instants can be read,
// that the files of its last state are there, as large as the commits say and readable, that the metadata table names the files that
// there are, and that failed writes have left nothing. Rows are not read; see [Table.CheckRows]. That the table cannot be opened is a
// finding too. The error is fs.ErrNotExist when there is no Hudi table, or that of ctx.
func Check(ctx context.Context, b storage.Bucket) ([]lake.Finding, error) {
	c := &checker{ctx: ctx, bucket: b, sizes: map[string]int64{}, times: map[string]time.Time{}}
	for info, err := range b.List(ctx, "", "") {
		if err != nil {
			c.found(lake.Warning, info.Name, "cannot be listed: "+err.Error(), "check its permissions")
			continue
		}
		c.sizes[info.Name], c.times[info.Name] = info.Size, info.ModTime
	}
	c.properties()
	t, err := (&Format{}).open(ctx, lake.Entry{Bucket: b, Location: "."}, config.LoadToMend)
	if err == nil {
		c.table = t
		c.line, err = t.timeline(ctx)
	}
	switch {
	case errors.Is(err, fs.ErrNotExist) || ctx.Err() != nil:
		return nil, err
	case err != nil:
		c.found(lake.Damage, "", "the table cannot be read: "+err.Error(), hintOf(err))
	default:
		c.instants()
		c.leftovers()
		c.slices()
		c.metadata()
	}
	slices.SortStableFunc(c.findings, func(a, b lake.Finding) int {
		return cmp.Or(cmp.Compare(b.Severity, a.Severity), strings.Compare(a.Where, b.Where), strings.Compare(a.What, b.What))
	})
	return c.findings, ctx.Err()
}

type checker struct {
	ctx      context.Context
	bucket   storage.Bucket
	table    *Table
	line     *timeline.Timeline
	sizes    map[string]int64 // of all files in the table's folder
	times    map[string]time.Time
	findings []lake.Finding
}

func (c *checker) found(s lake.Severity, where, what, remedy string) {
	c.findings = append(c.findings, lake.Finding{Severity: s, Where: where, What: what, Remedy: remedy})
}

// properties looks at hoodie.properties as it is, without the backup.
func (c *checker) properties() {
	if _, ok := c.sizes[config.Backup]; ok {
		c.found(lake.Warning, config.Backup, "an update of the properties was interrupted", "the next change of the properties mends it")
	}
	if size, ok := c.sizes[config.File]; !ok || size == 0 {
		if _, backup := c.sizes[config.Backup]; backup {
			c.found(lake.Warning, config.File, "is missing or empty; its backup is read instead", "the next change of the properties mends it")
		}
		return
	}
	text, err := storage.ReadFile(c.ctx, c.bucket, config.File, 1<<20)
	if err != nil {
		return // opening the table says so
	}
	p, err := config.Parse(text)
	if err != nil {
		return
	}
	sum, ok := p["hoodie.table.checksum"]
	want := config.Checksum(p["hoodie.database.name"], p["hoodie.table.name"])
	switch {
	case !ok:
		c.found(lake.Warning, config.File, "has no checksum", "")
	case sum != want:
		c.found(lake.Damage, config.File, fmt.Sprintf("has the checksum %s, and %s is right for its names", sum, want),
			"CALL "+overwriteProperties+", given this file itself as new_props_file_path, writes it anew")
	}
}

// instants reads what all instants say.
func (c *checker) instants() {
	for _, i := range c.line.Instants() {
		for _, state := range []timeline.State{timeline.Requested, timeline.Inflight, timeline.Completed} {
			part, ok := c.line.InState(i, state)
			if !ok {
				continue
			}
			s := Stage{Instant: part, File: c.line.Path(part)}
			var err error
			if s.Raw, err = c.line.ReadRaw(c.ctx, part); err == nil {
				err = s.decode()
			}
			switch {
			case err != nil:
				c.found(lake.Damage, s.File, "cannot be read: "+err.Error(), "")
			case state == timeline.Completed && len(s.Raw) == 0:
				c.found(lake.Damage, s.File, "is empty: what the action did is lost", "")
			}
		}
	}
	if _, err := c.line.ReadArchive(c.ctx, "", ""); err != nil {
		c.found(lake.Warning, "", "the archived timeline cannot be read: "+err.Error(), "")
	}
}

const (
	tempFolder      = ".hoodie/.temp/"
	heartbeatFolder = ".hoodie/.heartbeat/"
)

// leftovers looks for what writers have left that are gone.
func (c *checker) leftovers() {
	beats := map[string]bool{}
	markers := map[string]int{}
	for name := range c.sizes {
		if rest, ok := strings.CutPrefix(name, heartbeatFolder); ok && !strings.HasSuffix(rest, ".crc") {
			beats[rest] = true
		}
		if rest, ok := strings.CutPrefix(name, tempFolder); ok {
			at, _, _ := strings.Cut(rest, "/")
			markers[at]++
		}
	}
	for _, i := range c.line.Pending() {
		what := fmt.Sprintf("the %s %s is %s", i.Action, i.Time, strings.ToLower(i.State.String()))
		switch {
		case c.planned(i) || i.Action == timeline.Clean || i.Action == timeline.Indexing:
			c.found(lake.Note, c.line.Path(i), what+": it waits to be carried out", "")
		case beats[i.Time] && time.Since(c.times[heartbeatFolder+i.Time]) < 2*time.Minute:
			c.found(lake.Note, c.line.Path(i), what+": its writer is alive", "")
		default:
			c.found(lake.Warning, c.line.Path(i), what+": its writer is gone, or gives no sign of life", "the next write rolls it back")
		}
	}
	for at := range beats {
		if i, ok := c.line.Find(at); !ok || i.State == timeline.Completed {
			c.found(lake.Note, heartbeatFolder+at, "is of a write that is over", "it may be removed")
		}
	}
	for at, n := range markers {
		if i, ok := c.line.Find(at); !ok || i.State == timeline.Completed {
			c.found(lake.Note, tempFolder+at, fmt.Sprintf("has %d markers of a write that is over", n), "CALL delete_marker removes them")
		}
	}
	c.orphans()
}

// planned reports whether a pending action is a compaction or clustering.
func (c *checker) planned(i timeline.Instant) bool {
	plan, err := clusteringPlan(c.ctx, c.line, i)
	return pendingService(i) || err == nil && plan != nil
}

// orphans looks for data files of instants that the timeline does not have.
func (c *checker) orphans() {
	for name := range c.sizes {
		if strings.HasPrefix(name, ".hoodie/") || hiddenFolder(name) {
			continue
		}
		base := path.Base(name)
		instant := ""
		if n, err := parseBaseName(base); err == nil {
			instant = n.Instant
		} else if n, err := parseLogName(base); err == nil && c.table.config.Version >= 8 {
			instant = n.Instant
		}
		if instant == "" {
			continue
		}
		if _, done := c.line.CompletionOf(instant); done {
			continue
		}
		if _, pending := c.line.Find(instant); !pending {
			c.found(lake.Warning, name, "is of the instant "+instant+", which is not on the timeline", "a failed write has left it; queries do not read it")
		}
	}
}

// slices looks at the files of the last state.
func (c *checker) slices() {
	for file, size := range c.promised() {
		have, ok := c.sizes[file]
		switch {
		case !ok:
			c.found(lake.Damage, file, "is a file of the table's last state, and is missing", "restore it from a copy, or restore a savepoint")
		case size > 0 && have != size:
			c.found(lake.Damage, file, fmt.Sprintf("has %d bytes, and the commit says %d", have, size), "restore it from a copy")
		}
	}
	s, err := c.table.snapshot(c.ctx, "", reading{}, map[string]string{optMetadata: "false"})
	if err != nil {
		c.found(lake.Damage, "", "the last state cannot be read: "+err.Error(), "")
		return
	}
	for _, slice := range s.slices {
		if slice.Base != nil {
			c.baseFile(slice.Base.Path)
		}
		for _, l := range slice.Logs {
			c.logFile(l)
		}
	}
}

// promised are the files that the commits on the timeline have made last in each file group, and their sizes; 0 is not known.
func (c *checker) promised() map[string]int64 {
	type state struct{ files map[string]int64 }
	groups := map[groupKey]state{}
	for _, i := range c.line.ByCompletion() {
		m, err := c.line.ReadCommit(c.ctx, i)
		if err != nil {
			continue // instants has said so
		}
		for _, s := range stats(m) {
			if s.Path == "" {
				continue
			}
			k := groupKey{s.Partition, s.FileID}
			if !s.IsLog() {
				groups[k] = state{map[string]int64{s.Path: s.FileSizeInBytes}}
			} else if g, ok := groups[k]; ok {
				g.files[s.Path] = c.logSize(&s)
			}
		}
		for partition, ids := range m.PartitionToReplaceFileIDs {
			for _, id := range ids {
				delete(groups, groupKey{partition, id})
			}
		}
	}
	out := map[string]int64{}
	for _, g := range groups {
		for f, size := range g.files {
			out[f] = size
		}
	}
	return out
}

// logSize is the size of a log file; 0 in tables whose writers append to logs.
func (c *checker) logSize(s *timeline.WriteStat) int64 {
	if c.table.config.Version < 8 {
		return 0
	}
	return s.FileSizeInBytes
}

// baseFile reads the footer of a base file.
func (c *checker) baseFile(name string) {
	f, err := c.bucket.Open(c.ctx, name)
	if err != nil {
		c.found(lake.Damage, name, "cannot be opened: "+err.Error(), "")
		return
	}
	defer f.Close()
	p, err := parquet.Open(f, c.sizes[name], parquet.Limits{})
	if err != nil {
		c.found(lake.Damage, name, "is no Parquet file that can be read: "+err.Error(), "restore it from a copy")
		return
	}
	if !c.table.config.MetaFields {
		return
	}
	filter, ok := p.Metadata("org.apache.hudi.bloomfilter")
	if !ok {
		c.found(lake.Note, name, "has no Bloom filter of its keys: writers with a BLOOM index read the keys", "")
		return
	}
	kind, _ := p.Metadata("hoodie_bloom_filter_type_code")
	if _, err := bloom.Parse(kind, filter); err != nil {
		c.found(lake.Damage, name, "has a Bloom filter that cannot be read: "+err.Error(), "rewrite the file by clustering")
	}
}

// logFile reads the blocks of a log file.
func (c *checker) logFile(l logFile) {
	err := c.table.blocksOf(c.ctx, l.Path, func(b *logfile.Block) error {
		if b.Type == logfile.Corrupt {
			c.found(lake.Warning, l.Path, "has bytes that are no block: a write to it was interrupted", "readers pass them over; compaction removes the file")
			return nil
		}
		_, err := recordCount(b)
		return err
	})
	if err != nil {
		c.found(lake.Damage, l.Path, err.Error(), "")
	}
}

// metadata compares the metadata table with the folder, and reads its HFiles.
func (c *checker) metadata() {
	if len(c.table.config.MetadataInflight) > 0 {
		c.found(lake.Warning, config.File, "parts of the metadata table are being built: "+strings.Join(c.table.config.MetadataInflight, ", "), "")
	}
	m, err := metadata.Open(c.ctx, c.bucket, c.table.config, c.line)
	if errors.Is(err, metadata.ErrNone) {
		return
	}
	if err != nil {
		c.found(lake.Damage, metadata.Dir, "cannot be read, or lacks writes: "+err.Error(), remakeMetadata)
		return
	}
	list, err := c.table.compareMetadata(c.ctx, m)
	if err != nil {
		c.found(lake.Damage, metadata.Dir, err.Error(), remakeMetadata)
		return
	}
	for _, d := range list {
		name := path.Join(d.Partition, d.Name)
		switch {
		case d.equal() || d.rolledBack():
		case !d.Known:
			c.found(lake.Damage, name, "is not named by the metadata table: readers that rely on it miss its rows", remakeMetadata)
		case !d.InFolder && c.beingCleaned(name):
			c.found(lake.Note, name, "is named by the metadata table, and was removed by a clean that was interrupted", "the next clean ends it")
		case !d.InFolder:
			c.found(lake.Damage, name, "is named by the metadata table, and is not there", remakeMetadata)
		default:
			c.found(lake.Damage, name, fmt.Sprintf("has %d bytes, and the metadata table says %d", d.Size, d.KnownSize), remakeMetadata)
		}
	}
	for name := range c.sizes {
		if strings.HasPrefix(name, metadata.Dir+"/") && strings.HasSuffix(name, ".hfile") {
			c.hfile(name)
		}
	}
}

// beingCleaned reports whether a file is one that a pending clean deletes.
func (c *checker) beingCleaned(name string) bool {
	for _, i := range c.line.Pending(timeline.Clean) {
		requested, ok := c.line.InState(i, timeline.Requested)
		var p timeline.CleanPlan
		if !ok || c.line.Read(c.ctx, requested, &p) != nil {
			continue
		}
		for _, files := range cleanedFiles(&p) {
			if slices.Contains(files, name) {
				return true
			}
		}
	}
	return false
}

// hfile reads all cells of an HFile.
func (c *checker) hfile(name string) {
	f, err := c.bucket.Open(c.ctx, name)
	if errors.Is(err, fs.ErrNotExist) {
		return // cleaned meanwhile
	}
	if err != nil {
		c.found(lake.Damage, name, err.Error(), "")
		return
	}
	defer f.Close()
	h, err := hfile.Open(f, c.sizes[name])
	if err == nil {
		it := h.All()
		for it.Next() {
		}
		err = it.Err()
	}
	if err != nil {
		c.found(lake.Damage, name, "is no HFile that can be read: "+err.Error(), remakeMetadata)
	}
}
