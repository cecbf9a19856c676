package delta

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/tarn-lake/tarn/lake"
	"github.com/tarn-lake/tarn/types"
)

const featurePrefix = "delta.feature."

// written are the features that tables written by tarn may have. What a feature asks of writers beyond the files that
// tarn writes, such as checking constraints, is done where rows are planned.
var written = []string{
	"appendOnly", "invariants", "checkConstraints", "changeDataFeed", "generatedColumns", "columnMapping", "identityColumns",
	"allowColumnDefaults", "checkpointProtection", "clustering", "domainMetadata", "inCommitTimestamp",
	"deletionVectors", "timestampNtz", "typeWidening", "typeWidening-preview", "v2Checkpoint", "vacuumProtocolCheck",
}

// implied are the features that p stands for, named or not.
func implied(p Protocol) []string {
	out := slices.Clone(p.WriterFeatures)
	for _, f := range features {
		if p.supports(f.name) && !slices.Contains(out, f.name) {
			out = append(out, f.name)
		}
	}
	return out
}

// upgrade is the smallest protocol that has all of p and the features of names. Version numbers alone are used where
// they mean exactly the same set; else the lists carry everything that p implied.
func upgrade(p Protocol, names []string) Protocol {
	old := implied(p)
	var all []string
	for _, n := range names {
		if !slices.Contains(old, n) && !slices.Contains(all, n) {
			all = append(all, n)
		}
	}
	if len(all) == 0 {
		return p
	}
	all = append(all, old...)
	if legacy, ok := legacyProtocol(all); ok && p.MinWriterVersion < writerLists {
		return legacy
	}
	up := Protocol{MinReaderVersion: readerVersion(p, all), MinWriterVersion: writerLists, WriterFeatures: all}
	if up.MinReaderVersion == readerLists {
		up.ReaderFeatures = readerFeatures(p, all)
	}
	return up
}

// readerVersion is 3 where a feature is known by name only, else the legacy version that is needed.
func readerVersion(p Protocol, names []string) int {
	v := max(p.MinReaderVersion, 1)
	for _, n := range names {
		if f := findFeature(n); f != nil && f.reader {
			if f.legacy.reader == 0 {
				return readerLists
			}
			v = max(v, f.legacy.reader)
		}
	}
	return v
}

func readerFeatures(p Protocol, names []string) []string {
	out := []string{}
	for _, n := range names {
		f := findFeature(n)
		if f != nil && f.reader || slices.Contains(p.ReaderFeatures, n) {
			out = append(out, n)
		}
	}
	return out
}

// legacyProtocol is the pair of version numbers that implies exactly names.
func legacyProtocol(names []string) (Protocol, bool) {
	for w := 2; w <= 6; w++ {
		p := Protocol{MinReaderVersion: 1, MinWriterVersion: w}
		if w >= 5 {
			p.MinReaderVersion = 2
		}
		set := implied(p)
		same := len(set) == len(names)
		for _, n := range set {
			same = same && slices.Contains(names, n)
		}
		if same {
			return p, true
		}
	}
	return Protocol{}, false
}

// needed are the features that a table's schema and properties use.
func needed(schema types.Struct, properties map[string]string) []string {
	var out []string
	note := func(on bool, names ...string) {
		if on {
			out = append(out, names...)
		}
	}
	is := func(key string) bool { return strings.EqualFold(properties[key], "true") }
	note(is("delta.enableDeletionVectors"), "deletionVectors")
	note(is("delta.enableChangeDataFeed"), "changeDataFeed")
	note(is("delta.enableInCommitTimestamps"), "inCommitTimestamp")
	note(is("delta.enableTypeWidening"), "typeWidening")
	note(is("delta.enableRowTracking"), "domainMetadata", "rowTracking")
	note(mappingWord(properties) != "none", "columnMapping")
	note(properties["delta.checkpointPolicy"] == "v2", "v2Checkpoint")
	for key := range properties {
		note(strings.HasPrefix(key, "delta.constraints."), "checkConstraints")
	}
	walkFields(schema, func(f types.Field) {
		note(f.Type == types.TimestampNTZ, "timestampNtz")
		note(f.Type == types.Variant, "variantType")
		for key := range f.Metadata {
			note(key == "delta.generationExpression", "generatedColumns")
			note(strings.HasPrefix(key, "delta.identity."), "identityColumns")
		}
	})
	slices.Sort(out)
	return slices.Compact(out)
}

// walkFields calls f for each field of s and of the types inside it; elements, keys and values count as fields without a name.
func walkFields(s types.Struct, f func(types.Field)) {
	for _, field := range s.Fields {
		f(field)
		walkType(field.Type, f)
	}
}

func walkType(t types.Type, f func(types.Field)) {
	part := func(t types.Type) {
		f(types.Field{Type: t})
		walkType(t, f)
	}
	switch t := t.(type) {
	case types.Struct:
		walkFields(t, f)
	case types.Array:
		part(t.Elem)
	case types.Map:
		part(t.Key)
		part(t.Value)
	}
}

// takeFeatures splits properties into those that a table keeps and the features that the rest asks for:
// `delta.feature.NAME` = 'supported', and the version numbers of the protocol, which ask for all that they imply.
func takeFeatures(properties map[string]string) (kept map[string]string, features []string, err error) {
	kept = map[string]string{}
	for key, value := range properties {
		name, is := strings.CutPrefix(key, featurePrefix)
		switch {
		case key == minReaderKey, key == minWriterKey:
		case !is:
			kept[key] = value
		case value != "supported" && value != "enabled":
			return nil, nil, &lake.Error{Op: "set table property", Class: "DELTA_UNSUPPORTED_FEATURE_STATUS",
				Params: map[string]string{"feature": name, "status": value}, Hint: "the value of " + key + " can only be 'supported'"}
		default:
			if !slices.Contains(written, name) {
				return nil, nil, unknownFeature(name)
			}
			features = append(features, name)
		}
	}
	versions, err := versionFeatures(properties)
	if err != nil {
		return nil, nil, err
	}
	features = append(features, versions...)
	slices.Sort(features)
	return kept, slices.Compact(features), nil
}

// The table properties that ask for a version of the protocol.
const (
	minReaderKey = "delta.minReaderVersion"
	minWriterKey = "delta.minWriterVersion"
)

// versionFeatures are the features that the version numbers among properties imply. As in Delta Spark the numbers stand
// for these features only: the table gets the smallest protocol that has them, and 3 and 7, which imply none, change nothing.
func versionFeatures(properties map[string]string) ([]string, error) {
	p := Protocol{MinReaderVersion: 1, MinWriterVersion: 1}
	for _, v := range []struct {
		key  string
		to   *int
		last int
	}{{minReaderKey, &p.MinReaderVersion, readerLists}, {minWriterKey, &p.MinWriterVersion, writerLists}} {
		text, ok := properties[v.key]
		if !ok {
			continue
		}
		n, err := strconv.Atoi(text)
		if err != nil || n < 1 || n > v.last {
			return nil, &lake.Error{Op: "set table property", Err: fmt.Errorf("%s = %q: it must be a whole number from 1 to %d", v.key, text, v.last)}
		}
		*v.to = n
	}
	return implied(p), nil
}

func unknownFeature(name string) error {
	return &lake.Error{Op: "set table property", Class: "DELTA_UNSUPPORTED_FEATURES_IN_CONFIG",
		Params: map[string]string{"configs": featurePrefix + name}, Hint: "tarn does not write tables with the feature " + name}
}

// writable refuses a table whose protocol asks of writers what tarn does not do, by name.
func (t *Table) writable(p *Protocol) error {
	if err := t.checkReadable(p); err != nil {
		return err
	}
	if p.MinWriterVersion > writerLists {
		return &lake.Error{Op: "write", Path: t.path, Class: "DELTA_INVALID_PROTOCOL_VERSION",
			Params: map[string]string{"tableNameOrPath": t.path, "readerRequired": strconv.Itoa(p.MinReaderVersion), "writerRequired": strconv.Itoa(p.MinWriterVersion),
				"supportedReaders": "1, 2, 3", "supportedWriters": "2, 3, 4, 5, 6, 7"},
			Err: fmt.Errorf("the table needs writer version %d; versions up to %d are known", p.MinWriterVersion, writerLists)}
	}
	var unknown []string
	for _, name := range p.WriterFeatures {
		if !slices.Contains(written, name) {
			unknown = append(unknown, name)
		}
	}
	if len(unknown) == 0 {
		return nil
	}
	slices.Sort(unknown)
	list := strings.Join(unknown, ", ")
	return &lake.Error{Op: "write", Path: t.path, Class: "DELTA_UNSUPPORTED_FEATURES_FOR_WRITE",
		Params: map[string]string{"tableNameOrPath": t.path, "unsupported": list},
		Err:    fmt.Errorf("the table needs writer features that are not supported: %s", list)}
}
