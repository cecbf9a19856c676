package metadata

import (
	"context"
	"slices"
	"testing"

	"github.com/tarn-lake/tarn/storage"
)

func TestParseFile(t *testing.T) {
	for name, want := range map[string]struct {
		id, instant, token string
		isLog              bool
	}{
		"files/files-0000-0_3-15-33_20261201035536213.hfile":           {"files-0000-0", "20261201035536213", "3-15-33", false},
		"files/.files-0000-0_20261201035536213.log.12_3-29-80":         {"files-0000-0", "20261201035536213", "3-29-80", true},
		"files/.files-0000-0_20261201035536213.log.1":                  {"files-0000-0", "20261201035536213", "", true},
		"files/.files-0000-0_3-15-33_20261201035536213.hfile.crc":      {},
		"files/..files-0000-0_20261201035536213.log.1_3-29-80.crc":     {},
		"files/.hoodie_partition_metadata":                             {},
		"files/..hoodie_partition_metadata.crc":                        {},
		"files/files-0000-0_20261201035536213.log.1_3-29-80":           {},
		"files/.files-0000-0_20261201035536213.log.x_3-29-80":          {},
		"files/.files-0000-0_3-15-33_20261201035536213.hfile":          {},
		"files/files-0000-0_20261201035536213.hfile":                   {},
		"files/.files-0000-0_20261201035536213.log.1_3-29-80.tarn.tmp": {},
	} {
		id, f, isLog, ok := parseFile(storage.Info{Name: name})
		if ok != (want.id != "") || id != want.id || ok && (f.instant != want.instant || f.token != want.token || isLog != want.isLog) {
			t.Errorf("%s: %q %+v log %v, %v", name, id, f, isLog, ok)
		}
	}
}

// TestListChecksums lists a partition in which Hudi wrote on a local disk: a checksum of Hadoop's lies beside each file.
func TestListChecksums(t *testing.T) {
	b, ctx := storage.NewMem(), context.Background()
	for _, name := range []string{"files/files-0000-0_0-0-0_00000000000000010.hfile", "files/.files-0000-0_0-0-0_00000000000000010.hfile.crc",
		"files/.files-0000-0_20261201035536213.log.1_3-29-80", "files/..files-0000-0_20261201035536213.log.1_3-29-80.crc"} {
		if err := storage.WriteFile(ctx, b, name, storage.Replace, []byte("x")); err != nil {
			t.Fatal(err)
		}
	}
	bases, logs, paths, err := listFiles(ctx, b, "files")
	if err != nil || len(bases) != 1 || len(logs) != 1 || len(paths) != 4 || !slices.Equal([]int{len(bases["files-0000-0"]), len(logs["files-0000-0"])}, []int{1, 1}) {
		t.Errorf("%v %v %v %v", bases, logs, paths, err)
	}
}
