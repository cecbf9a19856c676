package hudi

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/tarn-lake/tarn/lake"
	"github.com/tarn-lake/tarn/lake/hudi/timeline"
	"github.com/tarn-lake/tarn/rel"
	"github.com/tarn-lake/tarn/types"
)

// The options of readers, in lower case.
const (
	optQueryType     = "hoodie.datasource.query.type"
	optFormat        = "hoodie.datasource.query.incremental.format"
	optBegin         = "hoodie.datasource.read.begin.instanttime"
	optEnd           = "hoodie.datasource.read.end.instanttime"
	optPathGlob      = "hoodie.datasource.read.incr.path.glob"
	optFullScan      = "hoodie.datasource.read.incr.fallback.fulltablescan.enable"
	optAsOf          = "as.of.instant"
	optMetadata      = "hoodie.metadata.enable"
	optMergeMemory   = "hoodie.memory.merge.max.size"
	optUsePositions  = "hoodie.merge.use.record.positions"
	optSkipping      = "hoodie.enable.data.skipping"
	earliest         = "earliest"
	queryOptimized   = "read_optimized"
	queryIncremental = "incremental"
)

// Query is the table as the options of a reader say: snapshot, read-optimized, as of an instant, only what changed, or a list of what it
// is made of.
func (t *Table) Query(ctx context.Context, options map[string]string) (s lake.Snapshot, err error) {
	if err := checkReader(options); err != nil {
		return nil, t.fail("read", "", err)
	}
	switch strings.ToLower(options[optQueryType]) {
	case queryTimeline:
		s, err = t.timelineView(ctx, options)
	case queryFiles:
		s, err = t.filesView(ctx, options)
	case queryIncremental:
		switch strings.ToLower(options[optFormat]) {
		case "cdc":
			s, err = t.changes(ctx, options)
		case "", "latest_state":
			s, err = t.query(ctx, options)
		default:
			err = &lake.Error{Op: "read", Path: t.path, Err: fmt.Errorf("there is no format %q of incremental queries", options[optFormat]),
				Hint: optFormat + " is latest_state or cdc."}
		}
	case queryMetadata:
		s, err = t.metadataView(ctx)
	default:
		s, err = t.query(ctx, options)
	}
	if err != nil {
		return nil, err
	}
	return s, nil
}

func (t *Table) query(ctx context.Context, options map[string]string) (*Snapshot, error) {
	r := reading{noPruning: strings.EqualFold(options[optSkipping], "false"), byKey: strings.EqualFold(options[optUsePositions], "false")}
	if n, err := strconv.ParseInt(options[optMergeMemory], 10, 64); err == nil {
		r.keep = &n
	}
	instant := ""
	if text := options[optAsOf]; text != "" {
		var err error
		if instant, err = t.parseInstant(text); err != nil {
			return nil, t.fail("read", "", err)
		}
	}
	switch kind := strings.ToLower(options[optQueryType]); kind {
	case "", "snapshot":
	case queryOptimized:
		r.optimized = true
	case queryIncremental:
		return t.incremental(ctx, r, options)
	default:
		return nil, &lake.Error{Op: "read", Path: t.path, Err: fmt.Errorf("there is no query type %q", options[optQueryType]),
			Hint: optQueryType + " is snapshot, read_optimized or incremental."}
	}
	return t.snapshot(ctx, instant, r, options)
}

var digitsOnly = regexp.MustCompile(`^\d{14}(\d{3})?$`)

// parseInstant reads an instant as users write it: 14 or 17 digits, or a date with or without a time, which is in the table's zone.
func (t *Table) parseInstant(text string) (string, error) {
	if digitsOnly.MatchString(text) {
		return text, nil
	}
	for _, layout := range []string{"2006-01-02 15:04:05", "2006-01-02T15:04:05", "2006-01-02"} { // fractions of seconds are taken too
		if at, err := time.ParseInLocation(layout, text, t.zone()); err == nil {
			return timeline.FormatTime(at, t.zone()), nil
		}
	}
	return "", fmt.Errorf("%q is no instant: it must be yyyyMMddHHmmss[SSS], yyyy-MM-dd HH:mm:ss[.SSS] or yyyy-MM-dd", text)
}

// span is a range of commits: those after begin, or with it, until end.
type span struct {
	begin, end string // instants; from table version 8 on times of completion. "" is no bound
	inclusive  bool   // begin is part of it
}

// span reads begin and end as options give them. Before table version 8 they are instants, from then on times of completion; begin is
// part of the range only for version 8, as in Hudi 1.0.
func (t *Table) span(begin, end string) (span, error) {
	s := span{inclusive: t.config.Version == 8}
	for _, b := range []struct {
		text string
		to   *string
	}{{begin, &s.begin}, {end, &s.end}} {
		text := strings.TrimSpace(b.text)
		if text == "" || strings.EqualFold(text, earliest) || strings.Trim(text, "0") == "" {
			continue
		}
		instant, err := t.parseInstant(text)
		if err != nil {
			return s, err
		}
		*b.to = instant
	}
	return s, nil
}

// holds reports whether s has a commit at a time.
func (s span) holds(at string) bool {
	return (s.begin == "" || at > s.begin || s.inclusive && at == s.begin) && (s.end == "" || at <= s.end)
}

// at is the time of a commit that spans speak of.
func (s *Snapshot) at(i timeline.Instant) string {
	if s.config.Version >= 8 {
		return i.Completion
	}
	return i.Time
}

// incremental is the rows that commits of a range have written, as they are at its end.
func (t *Table) incremental(ctx context.Context, r reading, options map[string]string) (*Snapshot, error) {
	within, err := t.changesWithin(options)
	if err != nil {
		return nil, err
	}
	s := &Snapshot{table: t, config: t.config, reading: r}
	files, err := s.load(ctx, options)
	if err != nil {
		return nil, err
	}
	return s, s.buildChanges(ctx, files, within, options)
}

func (s *Snapshot) buildChanges(ctx context.Context, files groups, within span, options map[string]string) error {
	s.reading.changed = map[string]bool{}
	v := &seen{timeline: s.timeline, until: within.end}
	if s.config.Version >= 8 {
		v = &seen{timeline: s.timeline, completed: within.end}
	}
	var until []timeline.Instant
	for _, i := range s.timeline.Commits() {
		at := s.at(i)
		if within.end == "" || at <= within.end {
			until = append(until, i)
		}
		if within.holds(at) {
			s.reading.changed[i.Time] = true
		}
	}
	if start := s.timeline.Start(); start != "" && within.begin < start && s.fullScan(options) {
		s.reading.before, s.reading.after = start, within.begin
	}
	if err := s.present(ctx, files, until); err != nil {
		return err
	}
	if err := s.build(ctx, files, v, until); err != nil {
		return err
	}
	s.globPartitions(options[optPathGlob])
	return nil
}

// fullScan reports whether rows of commits count that the timeline no longer has. Hudi 1.0 and later look for them in all files,
// earlier releases when they are asked to.
func (s *Snapshot) fullScan(options map[string]string) bool {
	switch strings.ToLower(options[optFullScan]) {
	case "true":
		return true
	case "false":
		return false
	}
	return s.config.Version >= 8
}

// present checks that the base files which the changed rows were last written to, until the range ended, are still there.
func (s *Snapshot) present(ctx context.Context, files groups, until []timeline.Instant) error {
	last := map[groupKey]string{}
	for _, i := range until {
		if !s.reading.changed[i.Time] {
			continue
		}
		m, err := s.commit(ctx, i)
		if err != nil {
			return err
		}
		for partition, stats := range m.PartitionToWriteStats {
			for _, st := range stats {
				if st.Path != "" && !st.IsLog() {
					last[groupKey{partition, st.FileID}] = st.Path
				}
			}
		}
		for partition, ids := range m.PartitionToReplaceFileIDs {
			for _, id := range ids {
				delete(last, groupKey{partition, id})
			}
		}
	}
	missing := ""
	for key, path := range last {
		if g := files[key]; (g == nil || !g.has(path)) && (missing == "" || path < missing) {
			missing = path
		}
	}
	if missing == "" {
		return nil
	}
	return &lake.Error{Op: "read", Path: s.table.path + "/" + missing, Err: errors.New("the file that changed rows were written to is cleaned up"),
		Hint: "Begin at a later instant."}
}

// has reports whether a file of the group is at path.
func (g *fileGroup) has(path string) bool {
	return slices.ContainsFunc(g.bases, func(b baseFile) bool { return b.Path == path }) ||
		slices.ContainsFunc(g.logs, func(l logFile) bool { return l.Path == path })
}

// condition is true for rows of the writes that count as changes, by the column with the instant that wrote them.
func (r *reading) condition(at rel.Expr) rel.Expr {
	text := func(s string) rel.Expr { return &rel.Lit{T: types.String, Value: s} }
	in := &rel.Call{Name: "in", T: types.Boolean, Null: true, Args: []rel.Expr{at}}
	for _, instant := range slices.Sorted(maps.Keys(r.changed)) {
		in.Args = append(in.Args, text(instant))
	}
	var cond rel.Expr = in
	if len(r.changed) == 0 {
		cond = &rel.Lit{T: types.Boolean, Value: false}
	}
	if r.before == "" {
		return cond
	}
	call := func(op string, a, b rel.Expr) rel.Expr {
		return &rel.Call{Name: op, T: types.Boolean, Null: true, Args: []rel.Expr{a, b}}
	}
	return call("or", cond, call("and", call("<", at, text(r.before)), call(">", at, text(r.after))))
}

// globPartitions leaves out the slices of partitions that do not match a pattern of paths; "" matches all.
func (s *Snapshot) globPartitions(pattern string) {
	pattern = strings.TrimPrefix(strings.TrimSuffix(pattern, "/"), "/")
	if pattern == "" {
		return
	}
	match := globExpression(pattern)
	kept := s.slices[:0:0]
	for _, slice := range s.slices {
		name := slice.Partition
		if slice.Base != nil {
			name = slice.Base.Path
		}
		if match.MatchString(slice.Partition) || match.MatchString(name) {
			kept = append(kept, slice)
		}
	}
	s.slices = kept
}

// globExpression is a Hadoop pattern of paths: * and ? stay within a part of the path, a part may be cut short.
func globExpression(pattern string) *regexp.Regexp {
	q := regexp.QuoteMeta(pattern)
	q = strings.NewReplacer(`\*`, `[^/]*`, `\?`, `[^/]`).Replace(q)
	return regexp.MustCompile("^" + q + "$")
}

var _ lake.Querier = (*Table)(nil)
