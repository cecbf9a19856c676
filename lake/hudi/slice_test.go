package hudi

import (
	"fmt"
	"strings"
	"testing"

	"github.com/tarn-lake/tarn/storage"
)

// instantsDone is a view of instants by when they were completed.
type instantsDone map[string]string

func (f instantsDone) committed(instant string) bool    { return f[instant] != "" }
func (f instantsDone) completion(instant string) string { return f[instant] }

// at is an instant of a second.
func at(second int) string { return fmt.Sprintf("202401010000%02d000", second) }

func TestSlices(t *testing.T) {
	base := func(s int) string { return "g_0-0-0_" + at(s) + ".parquet" }
	log := func(s, version int) string { return fmt.Sprintf(".g_%s.log.%d_0-0-0", at(s), version) }
	all := func(seconds ...int) instantsDone {
		f := instantsDone{}
		for _, s := range seconds {
			f[at(s)] = at(s + 1)
		}
		return f
	}
	for _, c := range []struct {
		name   string
		files  []string
		view   instantsDone
		byBase bool
		want   string // slices, oldest first: instants of the base file and, behind it, of logs
	}{
		{"base files", []string{base(1), base(5)}, all(1, 5), true, "01; 05"},
		{"not committed", []string{base(1), base(5)}, all(1), true, "01"},
		{"nothing", []string{base(1)}, all(), true, ""},
		{"logs by their base file", []string{base(1), log(1, 1), log(1, 2), base(5), log(5, 1)}, all(1, 5), true, "01+01.1+01.2; 05+05.1"},
		{"logs of a pending compaction", []string{base(1), log(1, 1), log(5, 1)}, all(1), true, "01+01.1+05.1"},
		{"logs alone", []string{log(1, 2), log(1, 1)}, all(1), true, "-+01.1+01.2"},
		{"logs by completion", []string{base(1), log(3, 1), log(7, 1), base(5)}, all(1, 3, 5, 7), false, "01+03.1; 05+07.1"},
		{"a log that was completed during a compaction", []string{base(1), log(4, 1), base(5)}, instantsDone{at(1): at(2), at(4): at(6), at(5): at(8)}, false, "01; 05+04.1"},
		{"logs in the order of their completion", []string{base(1), log(3, 1), log(4, 1)}, instantsDone{at(1): at(2), at(3): at(9), at(4): at(6)}, false, "01+04.1+03.1"},
		{"a log that is not committed", []string{base(1), log(3, 1)}, all(1), false, "01"},
		{"logs of a group that got its base file later", []string{log(1, 1), base(5)}, all(1, 5), false, "-+01.1; 05"},
		{"change records", []string{base(1), log(1, 1) + ".cdc"}, all(1), true, "01"},
		{"two tries of a task", []string{"g_0-0-0_" + at(1) + ".parquet", "g_0-0-1_" + at(1) + ".parquet"}, all(1), true, "01"},
	} {
		g := groups{}
		for _, name := range c.files {
			g.add(storage.Info{Name: name})
		}
		var got []string
		for _, one := range g.sorted() {
			for _, s := range one.slices(c.view, c.byBase) {
				text := "-"
				if s.Base != nil {
					text = s.Base.Instant[12:14]
				}
				for _, l := range s.Logs {
					text += fmt.Sprintf("+%s.%d", l.Instant[12:14], l.Version)
				}
				got = append(got, text)
			}
		}
		if strings.Join(got, "; ") != c.want {
			t.Errorf("%s: %s, want %s", c.name, strings.Join(got, "; "), c.want)
		}
	}
}
