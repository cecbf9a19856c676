package hudi

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"github.com/tarn-lake/tarn/storage"
)

// groups are the file groups of a table while they are collected.
type groups map[groupKey]*fileGroup

type groupKey struct{ partition, id string }

// add takes a file of the table. It is false for a name that no data file has.
func (g groups) add(info storage.Info) bool {
	dir, name := "", info.Name
	if i := strings.LastIndexByte(name, '/'); i >= 0 {
		dir, name = name[:i], name[i+1:]
	}
	if name[0] == '.' {
		n, err := parseLogName(name)
		if err != nil {
			return false
		}
		f := g.group(dir, n.FileID)
		f.logs = append(f.logs, logFile{logName: n, Path: info.Name, Size: info.Size})
		return true
	}
	n, err := parseBaseName(name)
	if err != nil {
		return false
	}
	f := g.group(dir, n.FileID)
	f.bases = append(f.bases, baseFile{baseName: n, Path: info.Name, Size: info.Size, ModTime: info.ModTime})
	return true
}

func (g groups) group(partition, id string) *fileGroup {
	k := groupKey{partition, id}
	f := g[k]
	if f == nil {
		f = &fileGroup{partition: partition, id: id}
		g[k] = f
	}
	return f
}

// sorted is the groups by partition and id.
func (g groups) sorted() []*fileGroup {
	out := make([]*fileGroup, 0, len(g))
	for _, f := range g {
		out = append(out, f)
	}
	slices.SortFunc(out, func(a, b *fileGroup) int {
		return cmp.Or(strings.Compare(a.partition, b.partition), strings.Compare(a.id, b.id))
	})
	return out
}

// afterHoodie is greater than all names in .hoodie and smaller than all behind that folder.
const afterHoodie = ".hoodie0"

// listFiles collects the data files in b, the folder of a table, by one listing. Folders whose names start with a dot hold none.
func listFiles(ctx context.Context, b storage.Bucket) (groups, error) {
	g := groups{}
	after := ""
	for {
		stopped := false
		for info, err := range b.List(ctx, "", after) {
			if strings.HasPrefix(info.Name, ".hoodie/") && after == "" {
				stopped = true
				break
			}
			if hiddenFolder(info.Name) {
				continue
			}
			if err != nil {
				return nil, err
			}
			g.add(info)
		}
		if !stopped {
			return g, nil
		}
		after = afterHoodie
	}
}

// hiddenFolder reports whether a file lies in a folder whose name starts with a dot.
func hiddenFolder(name string) bool {
	i := strings.LastIndexByte(name, '/')
	return i >= 0 && (name[0] == '.' || strings.Contains(name[:i], "/."))
}
