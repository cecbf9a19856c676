package delta

import (
	"fmt"
	"slices"
	"strconv"
	"sync"
	"time"

	"github.com/go-json-experiment/json"

	"github.com/tarn-lake/tarn/internal/bitmap"
	"github.com/tarn-lake/tarn/lake"
	"github.com/tarn-lake/tarn/types"
)

// Snapshot is one version of a table. It never changes, and neither do the actions in its state.
type Snapshot struct {
	table   *Table
	version int64
	state   *State
	time    time.Time // of the commit
	head    fingerprint

	schema    types.Struct // as users see it
	physical  types.Struct // as data files store it, partition columns included
	mapping   mapping
	partition []int // indexes of the partition columns in schema
	meta      *lake.Meta

	sort sync.Once
	adds []*Add // the live files; the index is the file's number in row ids
	err  error  // of adds

	vectors struct {
		sync.Mutex
		sets map[string]*bitmap.Set // by their ids, once read
	}
}

// newSnapshot checks a state and makes what reading it needs.
func (t *Table) newSnapshot(version int64, state *State, at time.Time, head fingerprint) (*Snapshot, error) {
	if err := t.recoverable(state, version); err != nil {
		return nil, err
	}
	if err := t.checkReadable(state.Protocol); err != nil {
		return nil, err
	}
	s := &Snapshot{table: t, version: version, state: state, time: at, head: head}
	if err := s.describe(); err != nil {
		return nil, &lake.Error{Op: fmt.Sprintf("read version %d of", version), Path: t.path, Err: err}
	}
	return s, nil
}

// describe decodes the metadata.
func (s *Snapshot) describe() (err error) {
	m := s.state.Metadata
	if p := m.Format.Provider; p != "" && p != "parquet" {
		return fmt.Errorf("data files have the unknown format %q", p)
	}
	if s.schema, err = decodeSchema(m.SchemaString); err != nil {
		return err
	}
	if s.mapping, err = mappingMode(m); err != nil {
		return err
	}
	if s.physical, err = physicalStruct(s.schema, s.mapping, s.mapping == mapID); err != nil {
		return err
	}
	for _, name := range m.PartitionColumns {
		i := s.schema.Index(name)
		if i < 0 || slices.Contains(s.partition, i) {
			return fmt.Errorf("partition column %s is not one column of the schema", name)
		}
		s.partition = append(s.partition, i)
	}
	s.meta = s.describeMeta()
	return nil
}

func (s *Snapshot) describeMeta() *lake.Meta {
	m, p := s.state.Metadata, s.state.Protocol
	meta := &lake.Meta{
		ID: m.ID, Name: m.Name, Description: m.Description, Schema: s.schema, Properties: m.Configuration, Cluster: s.cluster(),
		Protocol: lake.Protocol{Reader: p.MinReaderVersion, Writer: p.MinWriterVersion, ReaderFeatures: p.ReaderFeatures, WriterFeatures: p.WriterFeatures},
	}
	if meta.Properties == nil {
		meta.Properties = map[string]string{}
	}
	for _, i := range s.partition {
		meta.Partition = append(meta.Partition, s.schema.Fields[i].Name)
	}
	if m.CreatedTime != nil {
		meta.Created = time.UnixMilli(*m.CreatedTime)
	}
	return meta
}

// clusteringDomain holds the clustering columns as paths of physical names (P §Clustered Table).
const clusteringDomain = "delta.clustering"

// cluster is the names of the clustering columns, parts of nested ones joined by dots; nil when it cannot be told.
func (s *Snapshot) cluster() []string {
	d := s.state.Domains[clusteringDomain]
	if d == nil {
		return nil
	}
	var c struct {
		ClusteringColumns [][]string `json:"clusteringColumns"`
	}
	if json.Unmarshal([]byte(d.Configuration), &c) != nil {
		return nil
	}
	var out []string
	for _, path := range c.ClusteringColumns {
		name, ok := logicalName(s.schema, s.mapping, path)
		if !ok {
			return nil
		}
		out = append(out, name)
	}
	return out
}

// logicalName is the name that users have for a column known by the physical names on its path.
func logicalName(s types.Struct, m mapping, path []string) (string, bool) {
	if len(path) == 0 {
		return "", false
	}
	for _, f := range s.Fields {
		p, err := physicalField(f, m, false)
		if err != nil || p.Name != path[0] {
			continue
		}
		if len(path) == 1 {
			return f.Name, true
		}
		inner, ok := f.Type.(types.Struct)
		if !ok {
			return "", false
		}
		rest, ok := logicalName(inner, m, path[1:])
		return f.Name + "." + rest, ok
	}
	return "", false
}

// Meta describes the table at this version.
func (s *Snapshot) Meta() *lake.Meta { return s.meta }

// Version is the number of the commit that made this state.
func (s *Snapshot) Version() int64 { return s.version }

// State is what the log says of this version. It must not be changed.
func (s *Snapshot) State() *State { return s.state }

// Time is when the commit of this version was made: its in-commit timestamp, else the time of its file.
func (s *Snapshot) Time() time.Time { return s.time }

// Detail counts the live files.
func (s *Snapshot) Detail() lake.Detail {
	d := lake.Detail{Files: int64(len(s.state.Files)), LastModified: s.time}
	for _, a := range s.state.Files {
		d.Bytes += a.Size
	}
	return d
}

// files is the live files in the order of their paths. The index of one is its number in row ids.
func (s *Snapshot) files() ([]*Add, error) {
	s.sort.Do(func() {
		if s.adds, s.err = s.state.Sorted(); s.err != nil {
			s.err = &lake.Error{Op: "read", Path: s.table.path, Err: s.err}
		}
	})
	return s.adds, s.err
}

// The table properties of in-commit timestamps (P §In-Commit Timestamps).
const (
	ictEnabled   = "delta.enableInCommitTimestamps"
	ictVersion   = "delta.inCommitTimestampEnablementVersion"
	ictTimestamp = "delta.inCommitTimestampEnablementTimestamp"
)

// ictSince is the first version whose commit holds its own time, and that time in milliseconds; false when there is none.
// Without an enablement version all commits do.
func ictSince(m *Metadata) (version, millis int64, ok bool) {
	if m.Configuration[ictEnabled] != "true" {
		return 0, 0, false
	}
	version, err1 := strconv.ParseInt(m.Configuration[ictVersion], 10, 64)
	millis, err2 := strconv.ParseInt(m.Configuration[ictTimestamp], 10, 64)
	if err1 != nil || err2 != nil {
		return 0, 0, true
	}
	return version, millis, true
}
