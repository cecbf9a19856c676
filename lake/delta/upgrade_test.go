package delta

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/tarn-lake/tarn/types"
)

// The expected protocols are those that Delta Spark gave to the same statements (sql_dml.json and the table manifests).
func TestUpgrade(t *testing.T) {
	base := Protocol{MinReaderVersion: 1, MinWriterVersion: 2}
	list := func(s string) []string { return strings.Fields(s) }
	for _, c := range []struct {
		from  Protocol
		names string
		want  Protocol
	}{
		{base, "", base},
		{base, "invariants", base},
		{base, "checkConstraints", Protocol{MinReaderVersion: 1, MinWriterVersion: 3}},
		{base, "changeDataFeed", Protocol{1, 7, nil, list("changeDataFeed invariants appendOnly")}},
		{base, "columnMapping", Protocol{2, 7, nil, list("columnMapping invariants appendOnly")}},
		{base, "deletionVectors", Protocol{3, 7, list("deletionVectors"), list("deletionVectors invariants appendOnly")}},
		{base, "inCommitTimestamp", Protocol{1, 7, nil, list("inCommitTimestamp invariants appendOnly")}},
		{Protocol{MinReaderVersion: 2, MinWriterVersion: 5}, "deletionVectors", Protocol{3, 7, list("deletionVectors columnMapping"),
			list("deletionVectors invariants appendOnly checkConstraints changeDataFeed generatedColumns columnMapping")}},
		{Protocol{3, 7, list("deletionVectors"), list("deletionVectors")}, "checkConstraints",
			Protocol{3, 7, list("deletionVectors"), list("checkConstraints deletionVectors")}},
		{Protocol{3, 7, list("odd"), list("odd")}, "timestampNtz", Protocol{3, 7, list("timestampNtz odd"), list("timestampNtz odd")}},
	} {
		order := cmpopts.SortSlices(strings.Compare) // the order of a list says nothing
		if diff := cmp.Diff(c.want, upgrade(c.from, list(c.names)), order); diff != "" {
			t.Errorf("%v with %s (-want +got):\n%s", c.from, c.names, diff)
		}
	}
}

// TestVersionProperties asks for versions of the protocol by properties. That 3 and 7 change nothing is what Delta Spark does.
func TestVersionProperties(t *testing.T) {
	base := Protocol{MinReaderVersion: 1, MinWriterVersion: 2}
	vectors := Protocol{3, 7, []string{"deletionVectors"}, []string{"deletionVectors", "invariants", "appendOnly"}}
	for _, c := range []struct {
		from           Protocol
		reader, writer string // "" is not given
		want           Protocol
		fault          string
	}{
		{base, "3", "7", base, ""},
		{base, "1", "2", base, ""},
		{vectors, "1", "2", vectors, ""},
		{base, "", "3", Protocol{MinReaderVersion: 1, MinWriterVersion: 3}, ""},
		{base, "", "4", Protocol{MinReaderVersion: 1, MinWriterVersion: 4}, ""},
		{base, "2", "5", Protocol{MinReaderVersion: 2, MinWriterVersion: 5}, ""},
		{base, "2", "6", Protocol{MinReaderVersion: 2, MinWriterVersion: 6}, ""},
		{base, "2", "", base, ""},
		{base, "4", "7", base, "from 1 to 3"},
		{base, "1", "8", base, "from 1 to 7"},
		{base, "1", "two", base, "from 1 to 7"},
		{base, "0", "2", base, "from 1 to 3"},
	} {
		properties := map[string]string{"own": "x"}
		if c.reader != "" {
			properties[minReaderKey] = c.reader
		}
		if c.writer != "" {
			properties[minWriterKey] = c.writer
		}
		kept, asked, err := takeFeatures(properties)
		if c.fault != "" {
			if err == nil || !strings.Contains(err.Error(), c.fault) {
				t.Errorf("%s, %s: got %v, want %q", c.reader, c.writer, err, c.fault)
			}
			continue
		}
		if err != nil || len(kept) != 1 {
			t.Errorf("%s, %s: kept %v, %v", c.reader, c.writer, kept, err)
		}
		if diff := cmp.Diff(c.want, upgrade(c.from, asked), cmpopts.SortSlices(strings.Compare)); diff != "" {
			t.Errorf("%v with %s, %s (-want +got):\n%s", c.from, c.reader, c.writer, diff)
		}
	}
}

func TestNeeded(t *testing.T) {
	s := types.Struct{Fields: []types.Field{
		{Name: "a", Type: types.Array{Elem: types.TimestampNTZ}},
		{Name: "g", Type: types.Int, Metadata: types.Metadata{}.With("delta.generationExpression", "1")},
	}}
	got := needed(s, map[string]string{
		"delta.enableDeletionVectors": "TRUE", "delta.constraints.c": "a > 0", "delta.columnMapping.mode": "name", "own": "true"})
	want := []string{"checkConstraints", "columnMapping", "deletionVectors", "generatedColumns", "timestampNtz"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

func TestAssignColumns(t *testing.T) {
	inner := types.Struct{Fields: []types.Field{{Name: "x", Type: types.Int}}}
	s := types.Struct{Fields: []types.Field{{Name: "a", Type: types.Array{Elem: inner}}, {Name: "b", Type: types.Int}}}
	p := map[string]string{mappingModeKey: "name"}
	first := assignColumns(s, p, true)
	if name, _ := first.Fields[1].Metadata.Text(physicalNameKey); name != "b" || p[maxColumnKey] != "3" {
		t.Errorf("upgrade gave physical name %q and %v", name, p)
	}
	dropped := types.Struct{Fields: append(first.Fields[:1:1], types.Field{Name: "b", Type: types.Int})}
	second := assignColumns(dropped, p, false)
	id, _ := second.Fields[1].Metadata.Int(mappingIDKey)
	name, _ := second.Fields[1].Metadata.Text(physicalNameKey)
	if id != 4 || !strings.HasPrefix(name, "col-") || p[maxColumnKey] != "4" {
		t.Errorf("a new column got id %d, physical name %q and %v", id, name, p)
	}
	if !types.Same(assignColumns(second, p, false), second) {
		t.Error("assigning again changed something")
	}
}
