package timeline

import (
	"slices"
	"testing"
)

// TestCorpusArchives reads the archives of tables that Hudi has archived: the
// actions that are missing before the active timeline are there, with the
// schema of the table.
func TestCorpusArchives(t *testing.T) {
	want := map[string][]string{ // of the data table, from the generator's runs
		"v6_cow_services": {"20261130171148820.commit", "20261130171153861.commit", "20261130171157059.commit", "20261130171159493.clean", "20261130171200788.commit",
			"20261130171204238.clean", "20261130171205559.commit", "20261130171207735.clean", "20261130171209044.commit"},
		"v9_cow_services": {"20261130172016966.commit", "20261130172036914.commit", "20261130172052267.commit", "20261130172105558.clean", "20261130172109908.commit", "20261130172121864.clean", "20261130172124389.commit", "20261130172136112.clean", "20261130172138084.commit"},
	}
	corpusTables(t, "*_cow_services.zip", func(t *testing.T, name string, files map[string][]byte) {
		for _, base := range bases(files) {
			tl := load(t, bucketOf(t, files, base), configOf(t, files, base).Version)
			archived, err := tl.ReadArchive(t.Context(), "", "")
			if err != nil {
				t.Fatal(err)
			}
			var got []string
			for _, a := range archived {
				got = append(got, a.Time+"."+string(a.Action))
				if a.Completion <= a.Time {
					t.Errorf("%s: completed at %q", a.Instant, a.Completion)
				}
				if a.Action.Writes() {
					if m, err := a.Commit(); err != nil || m.Schema() == "" || len(m.ExtraMetadata) != 1 {
						t.Errorf("%s: says %+v, %v", a.Instant, m, err)
					}
				} else if err := Decode(a.Metadata, recordOf(a.Instant)); err != nil {
					t.Errorf("%s: %v", a.Instant, err)
				}
				if a.Action == Clean && a.Plan == nil {
					t.Errorf("%s has no plan", a.Instant)
				}
				if !tl.Archived(a.Time) && a.Action.Writes() {
					t.Errorf("%s is not before %s", a.Instant, tl.Start())
				}
			}
			if base == "" && !slices.Equal(got, want[name]) {
				t.Errorf("archived %q, want %q", got, want[name])
			}
			if len(got) == 0 {
				t.Errorf("nothing archived in %q", base)
			}
			some, err := tl.ReadArchive(t.Context(), archived[1].Time, archived[2].Time)
			if err != nil || len(some) != 2 {
				t.Errorf("%d of the range, %v", len(some), err)
			}
		}
	})
}
