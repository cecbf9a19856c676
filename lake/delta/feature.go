package delta

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/tarn-lake/tarn/lake"
)

// feature is a table feature of the protocol (P §Valid Feature Names in Table Features). The versions are the oldest that
// imply it without a list; 0 is none.
type feature struct {
	name   string
	reader bool // readers must know it too
	legacy struct{ reader, writer int }
	reads  bool // Scan is right on tables that have it
}

// features are all that are known. A table with a reader feature that is not here, or not marked as read, is refused.
var features = []feature{
	writerOnly("appendOnly", 2),
	writerOnly("invariants", 2),
	writerOnly("checkConstraints", 3),
	writerOnly("changeDataFeed", 4),
	writerOnly("generatedColumns", 4),
	{name: "columnMapping", reader: true, legacy: struct{ reader, writer int }{2, 5}, reads: true},
	writerOnly("identityColumns", 6),
	writerOnly("allowColumnDefaults", 0),
	writerOnly("checkpointProtection", 0),
	writerOnly("clustering", 0),
	writerOnly("domainMetadata", 0),
	writerOnly("icebergCompatV1", 0),
	writerOnly("icebergCompatV2", 0),
	writerOnly("icebergCompatV3", 0),
	writerOnly("inCommitTimestamp", 0),
	writerOnly("materializePartitionColumns", 0),
	writerOnly("rowTracking", 0),
	readerWriter("deletionVectors", true),
	readerWriter("timestampNtz", true),
	readerWriter("typeWidening", true),
	readerWriter("typeWidening-preview", true),
	readerWriter("v2Checkpoint", true),
	readerWriter("vacuumProtocolCheck", true),
	readerWriter("variantType", false),
	readerWriter("variantType-preview", false),
	readerWriter("variantShredding", false),
	readerWriter("variantShredding-preview", false),
	readerWriter("catalogManaged", false),
	readerWriter("catalogOwned-preview", false),
}

func writerOnly(name string, since int) feature {
	f := feature{name: name, reads: true}
	f.legacy.writer = since
	return f
}

func readerWriter(name string, reads bool) feature {
	return feature{name: name, reader: true, reads: reads}
}

// findFeature is the known feature of that name, or nil.
func findFeature(name string) *feature {
	for i := range features {
		if features[i].name == name {
			return &features[i]
		}
	}
	return nil
}

// supports reports whether a table with protocol p has the named feature, by its list or by its version.
func (p *Protocol) supports(name string) bool {
	if slices.Contains(p.WriterFeatures, name) || slices.Contains(p.ReaderFeatures, name) {
		return true
	}
	f := findFeature(name)
	if f == nil || f.legacy.writer == 0 || p.MinWriterVersion >= 7 {
		return false
	}
	return p.MinWriterVersion >= f.legacy.writer && (!f.reader || p.MinReaderVersion >= f.legacy.reader)
}

// The protocol versions from which on features are listed by name.
const (
	readerLists = 3
	writerLists = 7
)

// checkReadable refuses a table that demands of its readers what is not known here, by name.
func (t *Table) checkReadable(p *Protocol) error {
	if p.MinReaderVersion > readerLists {
		return &lake.Error{Op: "read", Path: t.path, Class: "DELTA_INVALID_PROTOCOL_VERSION",
			Params: map[string]string{"tableNameOrPath": t.path, "readerRequired": strconv.Itoa(p.MinReaderVersion), "writerRequired": strconv.Itoa(p.MinWriterVersion),
				"supportedReaders": "1, 2, 3", "supportedWriters": "2, 3, 4, 5, 6, 7"},
			Err: fmt.Errorf("the table needs reader version %d; versions up to %d are known", p.MinReaderVersion, readerLists)}
	}
	if p.MinReaderVersion == readerLists && p.MinWriterVersion < writerLists {
		return &lake.Error{Op: "read", Path: t.path, Err: fmt.Errorf("the protocol has reader version %d with writer version %d, which needs %d", p.MinReaderVersion, p.MinWriterVersion, writerLists)}
	}
	var unknown []string
	for _, name := range p.ReaderFeatures {
		if f := findFeature(name); f == nil || !f.reads {
			unknown = append(unknown, name)
		}
	}
	if len(unknown) == 0 {
		return nil
	}
	slices.Sort(unknown)
	list := strings.Join(unknown, ", ")
	return &lake.Error{Op: "read", Path: t.path, Class: "DELTA_UNSUPPORTED_FEATURES_FOR_READ",
		Params: map[string]string{"tableNameOrPath": t.path, "unsupported": list},
		Err:    fmt.Errorf("the table needs reader features that are not supported: %s", list)}
}
