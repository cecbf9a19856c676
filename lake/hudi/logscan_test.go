package hudi

import (
	"strings"
	"testing"

	"github.com/tarn-lake/tarn/lake/hudi/logfile"
)

func TestBlockQueue(t *testing.T) {
	tests := []struct{ in, want string }{
		{"1a 2b 3c", "1a 2b 3c"},
		{"1a 2b 1c", "1a 1c 2b"}, // the blocks of a write are together
		{"1a 2b -2 3c", "1a 3c"},
		{"1a -1 1b", "1b"},
		{"-1 1a", "1a"},
		{"1a 2b 3m=1,2 4d", "3m 4d"},
		{"1a 2b 3c 4m=1,2", "4m 3c"},
		{"1a 2m=1 3b 4n=2,3 5c", "4n 5c"}, // a compaction of a compaction
		{"1a 2b 3m=1,2 -3", "1a 2b"},
	}
	for _, c := range tests {
		var q blockQueue
		names := map[*logfile.Block]string{}
		for _, word := range strings.Fields(c.in) {
			if target, ok := strings.CutPrefix(word, "-"); ok {
				q.drop(target)
				continue
			}
			name, times, _ := strings.Cut(word, "=")
			b := &logfile.Block{Header: logfile.Header{{Key: logfile.InstantTime, Value: name[:1]}, {Key: logfile.CompactedBlockTimes, Value: times}}}
			names[b] = name
			q.add(b)
		}
		var got []string
		for _, b := range q.live() {
			got = append(got, names[b])
		}
		if text := strings.Join(got, " "); text != c.want {
			t.Errorf("%s: %s, want %s", c.in, text, c.want)
		}
	}
}
