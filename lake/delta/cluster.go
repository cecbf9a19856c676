package delta

import (
	"fmt"
	"slices"
	"strings"

	"github.com/go-json-experiment/json"

	"github.com/tarn-lake/tarn/lake"
	"github.com/tarn-lake/tarn/types"
)

// clusteringFor is the action that makes columns, parts of nested ones joined by dots, those that the table is clustered by; nil
// when they are already.
func (x *tx) clusteringFor(columns []string, schema types.Struct, m *Metadata) (*DomainMetadata, error) {
	if slices.Equal(columns, x.base.meta.Cluster) {
		return nil, nil
	}
	mode, err := mappingMode(m)
	if err != nil {
		return nil, err
	}
	physical, err := physicalStruct(schema, mode, false)
	if err != nil {
		return nil, err
	}
	paths := [][]string{}
	for _, name := range columns {
		path, ok := physicalPath(schema, physical, name)
		if !ok {
			return nil, &lake.Error{Op: "cluster", Path: x.table.path, Err: fmt.Errorf("there is no column %s", name)}
		}
		paths = append(paths, path)
	}
	text, err := json.Marshal(struct {
		Columns [][]string `json:"clusteringColumns"`
		Domain  string     `json:"domainName"`
	}{paths, clusteringDomain})
	return &DomainMetadata{Domain: clusteringDomain, Configuration: string(text)}, err
}

// physicalPath is the physical names on the way to the column that users call name.
func physicalPath(logical, physical types.Struct, name string) ([]string, bool) {
	for i, f := range logical.Fields {
		p := physical.Fields[i]
		if strings.EqualFold(f.Name, name) {
			return []string{p.Name}, true
		}
		inner, nested := f.Type.(types.Struct)
		if !nested || len(name) <= len(f.Name) || !strings.EqualFold(name[:len(f.Name)+1], f.Name+".") {
			continue
		}
		if rest, ok := physicalPath(inner, p.Type.(types.Struct), name[len(f.Name)+1:]); ok {
			return append([]string{p.Name}, rest...), true
		}
	}
	return nil, false
}
