package timeline

import (
	"strings"
	"testing"
	"time"
)

func TestParseName(t *testing.T) {
	const at, done = "20260101000000000", "20260101000001000"
	for _, c := range []struct {
		layout int
		name   string
		want   Instant
		err    string
	}{
		{1, at + ".commit.requested", Instant{at, Commit, Requested, ""}, ""},
		{1, at + ".inflight", Instant{at, Commit, Inflight, ""}, ""},
		{1, at + ".commit", Instant{at, Commit, Completed, ""}, ""},
		{1, at + ".compaction.inflight", Instant{at, Compaction, Inflight, ""}, ""},
		{1, "20260101000000.deltacommit", Instant{"20260101000000", DeltaCommit, Completed, ""}, ""},
		{1, at + "006.rollback", Instant{at + "006", Rollback, Completed, ""}, ""},
		{1, at + ".savepoint.inflight", Instant{at, Savepoint, Inflight, ""}, ""},
		{2, at + ".clustering.inflight", Instant{at, Clustering, Inflight, ""}, ""},
		{2, at + "_" + done + ".replacecommit", Instant{at, ReplaceCommit, Completed, done}, ""},
		{2, "00000000000000000_" + done + ".deltacommit", Instant{"00000000000000000", DeltaCommit, Completed, done}, ""},
		{1, at + "_" + done + ".commit", Instant{}, "layout 1"},
		{2, at + ".commit", Instant{}, "completion time"},
		{2, at + "_" + done + ".compaction", Instant{}, "completes as commit"},
		{2, at + "_" + done + ".commit.requested", Instant{}, "pending"},
		{2, at + "_" + done + ".compress", Instant{}, "unknown action"},
		{1, at + ".commit.inflight", Instant{}, "without their action"},
		{1, "hoodie.properties", Instant{}, ""},
		{1, at, Instant{}, ""},
		{1, at + ".commit~", Instant{}, ""},
		{1, "." + at + ".commit.crc", Instant{}, ""},
		{1, strings.Repeat("9", 40) + ".commit", Instant{}, ""},
		{1, at + "..commit", Instant{}, ""},
	} {
		got, ok, err := parseName(c.layout, c.name)
		switch {
		case c.err != "" && (err == nil || !strings.Contains(err.Error(), c.err)):
			t.Errorf("%d %s: error %v, want one with %q", c.layout, c.name, err, c.err)
		case c.err == "" && (err != nil || got != c.want || ok != (c.want.Time != "")):
			t.Errorf("%d %s: %v, %v, %v, want %v", c.layout, c.name, got, ok, err, c.want)
		case ok && got.Name(c.layout) != c.name:
			t.Errorf("%d %s: named %s", c.layout, c.name, got.Name(c.layout))
		}
	}
}

func FuzzParseName(f *testing.F) {
	f.Add(1, "20260101000000000.commit.requested")
	f.Add(2, "20260101000000000_20260101000001000.replacecommit")
	f.Add(2, "20260101000000000.inflight")
	f.Fuzz(func(t *testing.T, layout int, name string) {
		i, ok, err := parseName(layout, name)
		if ok && (err != nil || i.Name(layout) != name) {
			t.Fatalf("%q is %v, %v, and that is named %q", name, i, err, i.Name(layout))
		}
	})
}

func TestTimes(t *testing.T) {
	zone := time.FixedZone("", 2*3600)
	at := time.Date(2026, 1, 2, 3, 4, 5, 67e6, time.UTC)
	if got := FormatTime(at, nil); got != "20260102030405067" {
		t.Errorf("formatted %s", got)
	}
	if got := FormatTime(at, zone); got != "20260102050405067" {
		t.Errorf("formatted %s", got)
	}
	for text, want := range map[string]time.Time{
		"20260102050405067":    at,
		"20260102050405067006": at,
		"20260102050405":       at.Truncate(time.Second).Add(999 * time.Millisecond),
		"00000000000000000":    {},
		"2026":                 {},
		"20261399000000000":    {},
		"2026010205040506x":    {},
	} {
		got, err := ParseTime(text, zone)
		if !got.Equal(want) && err == nil || want.IsZero() != (err != nil) {
			t.Errorf("%s is %v, %v, want %v", text, got, err, want)
		}
	}
}
