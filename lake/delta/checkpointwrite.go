package delta

import (
	"cmp"
	"context"
	"errors"
	"io"
	"io/fs"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/go-json-experiment/json"
	pq "github.com/parquet-go/parquet-go"

	"github.com/tarn-lake/tarn/storage"
)

// checkpointInterval is how many commits pass between checkpoints unless the table says otherwise.
const checkpointInterval = 10

// checkpointAfter writes the checkpoint that is due after version v, if one is. The commit is made whatever happens here: a
// checkpoint only makes reading faster, and the next one makes up for it.
func (t *Table) checkpointAfter(ctx context.Context, v int64, properties map[string]string) {
	every := int64(checkpointInterval)
	if n, err := strconv.ParseInt(properties["delta.checkpointInterval"], 10, 64); err == nil && n > 0 {
		every = n
	}
	if v > 0 && v%every == 0 {
		_ = t.Checkpoint(ctx, v)
	}
}

// Checkpoint writes the state after version v as a classic checkpoint and points the hint _last_checkpoint at it. It does
// nothing for a table that asks for V2 checkpoints, and when another writer has been faster.
func (t *Table) Checkpoint(ctx context.Context, v int64) error {
	s, err := t.latest(ctx) // quickly, from the state that is kept
	if err == nil && s.version != v {
		s, err = t.version(ctx, v)
	}
	if err != nil {
		return err
	}
	if err := t.writable(s.state.Protocol); err != nil {
		return err
	}
	if s.meta.Properties["delta.checkpointPolicy"] == "v2" {
		return nil
	}
	hint, err := t.writeCheckpoint(ctx, s, time.Now())
	if errors.Is(err, fs.ErrExist) {
		return nil
	}
	if err != nil {
		return t.fail("checkpoint", checkpointName(v), err)
	}
	if newest, err := t.hint(ctx); err != nil || newest >= v {
		return err
	}
	text, err := json.Marshal(hint, json.Deterministic(true))
	if err != nil {
		return err
	}
	return t.fail("checkpoint", lastCheckpoint, storage.WriteFile(ctx, t.bucket, lastCheckpoint, storage.Replace, text))
}

// checkpointHint is the content of _last_checkpoint (P §Last Checkpoint File Schema).
type checkpointHint struct {
	Version     int64 `json:"version"`
	Size        int64 `json:"size"` // actions
	SizeInBytes int64 `json:"sizeInBytes"`
	AddFiles    int64 `json:"numOfAddFiles"`
}

// stateRow is one row of a classic checkpoint: one of its members is set (P §Checkpoint Schema).
type stateRow struct {
	Txn      *txnEntry      `parquet:"txn,optional"`
	Add      *addEntry      `parquet:"add,optional"`
	Remove   *removeEntry   `parquet:"remove,optional"`
	Metadata *metadataEntry `parquet:"metaData,optional"`
	Protocol *protocolEntry `parquet:"protocol,optional"`
	Domain   *domainEntry   `parquet:"domainMetadata,optional"`
}

type txnEntry struct {
	AppID       string `parquet:"appId"`
	Version     int64  `parquet:"version"`
	LastUpdated *int64 `parquet:"lastUpdated,optional"`
}

type addEntry struct {
	Path             string             `parquet:"path"`
	PartitionValues  map[string]*string `parquet:"partitionValues"`
	Size             int64              `parquet:"size"`
	ModificationTime int64              `parquet:"modificationTime"`
	DataChange       bool               `parquet:"dataChange"`
	Stats            *string            `parquet:"stats,optional"`
	Tags             map[string]*string `parquet:"tags,optional"`
	Vector           *vectorEntry       `parquet:"deletionVector,optional"`
	BaseRowID        *int64             `parquet:"baseRowId,optional"`
	DefaultVersion   *int64             `parquet:"defaultRowCommitVersion,optional"`
	Clustering       *string            `parquet:"clusteringProvider,optional"`
}

type removeEntry struct {
	Path              string             `parquet:"path"`
	DeletionTimestamp *int64             `parquet:"deletionTimestamp,optional"`
	DataChange        bool               `parquet:"dataChange"`
	Extended          *bool              `parquet:"extendedFileMetadata,optional"`
	PartitionValues   map[string]*string `parquet:"partitionValues,optional"`
	Size              *int64             `parquet:"size,optional"`
	Vector            *vectorEntry       `parquet:"deletionVector,optional"`
	BaseRowID         *int64             `parquet:"baseRowId,optional"`
	DefaultVersion    *int64             `parquet:"defaultRowCommitVersion,optional"`
}

type vectorEntry struct {
	StorageType    string `parquet:"storageType"`
	PathOrInlineDV string `parquet:"pathOrInlineDv"`
	Offset         *int32 `parquet:"offset,optional"`
	SizeInBytes    int32  `parquet:"sizeInBytes"`
	Cardinality    int64  `parquet:"cardinality"`
	MaxRowIndex    *int64 `parquet:"maxRowIndex,optional"`
}

type metadataEntry struct {
	ID               string            `parquet:"id"`
	Name             *string           `parquet:"name,optional"`
	Description      *string           `parquet:"description,optional"`
	Format           formatEntry       `parquet:"format"`
	SchemaString     string            `parquet:"schemaString"`
	PartitionColumns []string          `parquet:"partitionColumns,list"`
	Configuration    map[string]string `parquet:"configuration"`
	CreatedTime      *int64            `parquet:"createdTime,optional"`
}

type formatEntry struct {
	Provider string            `parquet:"provider"`
	Options  map[string]string `parquet:"options"`
}

type protocolEntry struct {
	MinReaderVersion int32    `parquet:"minReaderVersion"`
	MinWriterVersion int32    `parquet:"minWriterVersion"`
	ReaderFeatures   []string `parquet:"readerFeatures,list,optional"`
	WriterFeatures   []string `parquet:"writerFeatures,list,optional"`
}

type domainEntry struct {
	Domain        string `parquet:"domain"`
	Configuration string `parquet:"configuration"`
	Removed       bool   `parquet:"removed"`
}

// writeCheckpoint stores the checkpoint of s. Every writer makes the same of one version, but for tombstones whose time is
// over, so it does not matter who wins.
func (t *Table) writeCheckpoint(ctx context.Context, s *Snapshot, now time.Time) (*checkpointHint, error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	file, err := t.bucket.Create(ctx, checkpointName(s.version), storage.Exclusive)
	if err != nil {
		return nil, err
	}
	out := &counter{w: file}
	hint := &checkpointHint{Version: s.version, AddFiles: int64(len(s.state.Files))}
	if hint.Size, err = writeRows(out, s, now); err != nil {
		cancel()
		return nil, errors.Join(err, file.Close())
	}
	hint.SizeInBytes = out.n
	return hint, file.Close()
}

// counter counts what is written.
type counter struct {
	w io.Writer
	n int64
}

func (c *counter) Write(p []byte) (int, error) {
	n, err := c.w.Write(p)
	c.n += int64(n)
	return n, err
}

// writeRows writes the state of s in a fixed order, and says how many actions that were.
func writeRows(out io.Writer, s *Snapshot, now time.Time) (int64, error) {
	w := pq.NewGenericWriter[stateRow](out, pq.Compression(&pq.Snappy), pq.CreatedBy("tarn", "", ""))
	var n int64
	buf := make([]stateRow, 0, 1024)
	flush := func() error {
		_, err := w.Write(buf)
		buf = buf[:0]
		return err
	}
	put := func(row stateRow) error {
		n++
		if buf = append(buf, row); len(buf) < cap(buf) {
			return nil
		}
		return flush()
	}
	err := eachCheckpointAction(s, now, put)
	return n, first(err, flush(), w.Close())
}

func eachCheckpointAction(s *Snapshot, now time.Time, put func(stateRow) error) error {
	state, m, p := s.state, s.state.Metadata, s.state.Protocol
	errs := []error{
		put(stateRow{Protocol: &protocolEntry{int32(p.MinReaderVersion), int32(p.MinWriterVersion), p.ReaderFeatures, p.WriterFeatures}}),
		put(stateRow{Metadata: &metadataEntry{m.ID, optional(m.Name), optional(m.Description), formatEntry{m.Format.Provider, m.Format.Options},
			m.SchemaString, m.PartitionColumns, m.Configuration, m.CreatedTime}}),
	}
	oldest, bounded := since(m.Configuration["delta.setTransactionRetentionDuration"], now)
	for _, app := range slices.Sorted(maps.Keys(state.Txns)) {
		if x := state.Txns[app]; !bounded || x.LastUpdated == nil || *x.LastUpdated > oldest {
			errs = append(errs, put(stateRow{Txn: &txnEntry{x.AppID, x.Version, x.LastUpdated}}))
		}
	}
	for _, d := range slices.Sorted(maps.Keys(state.Domains)) {
		errs = append(errs, put(stateRow{Domain: &domainEntry{d, state.Domains[d].Configuration, false}}))
	}
	if err := first(errs...); err != nil {
		return err
	}
	return eachCheckpointFile(s, now, put)
}

// eachCheckpointFile gives the live files and the tombstones that VACUUM of another client still needs.
func eachCheckpointFile(s *Snapshot, now time.Time, put func(stateRow) error) error {
	adds, err := s.files()
	if err != nil {
		return err
	}
	for _, a := range adds {
		if err := put(stateRow{Add: &addEntry{a.Path, a.PartitionValues, a.Size, a.ModificationTime, false, optional(a.Stats), a.Tags,
			vectorOf(a.DeletionVector), a.BaseRowID, a.DefaultRowCommitVersion, optional(a.ClusteringProvider)}}); err != nil {
			return err
		}
	}
	oldest, ok := since(s.meta.Properties["delta.deletedFileRetentionDuration"], now)
	if !ok {
		oldest = now.Add(-7 * 24 * time.Hour).UnixMilli()
	}
	keys := slices.SortedFunc(maps.Keys(s.state.Tombstones), func(a, b FileKey) int {
		return cmp.Or(strings.Compare(a.Path, b.Path), strings.Compare(a.VectorID, b.VectorID))
	})
	for _, k := range keys {
		r := s.state.Tombstones[k]
		if r.DeletionTimestamp == nil || *r.DeletionTimestamp <= oldest {
			continue
		}
		if err := put(stateRow{Remove: &removeEntry{r.Path, r.DeletionTimestamp, false, r.ExtendedFileMetadata, r.PartitionValues, r.Size,
			vectorOf(r.DeletionVector), r.BaseRowID, r.DefaultRowCommitVersion}}); err != nil {
			return err
		}
	}
	return nil
}

func optional(s string) *string {
	if s == "" {
		return nil
	}
	return &s
}

func vectorOf(d *DeletionVector) *vectorEntry {
	if d == nil {
		return nil
	}
	return &vectorEntry{d.StorageType, d.PathOrInlineDV, d.Offset, d.SizeInBytes, d.Cardinality, d.MaxRowIndex}
}

// since is the time in milliseconds that lies an interval, such as `interval 30 days`, before now; false when text is none.
func since(text string, now time.Time) (int64, bool) {
	words := strings.Fields(strings.ToLower(strings.TrimPrefix(strings.TrimSpace(strings.ToLower(text)), "interval")))
	if len(words) == 0 || len(words)%2 != 0 {
		return 0, false
	}
	for i := 0; i < len(words); i += 2 {
		n, err := strconv.ParseInt(words[i], 10, 32)
		unit, ok := intervalUnits[strings.TrimSuffix(words[i+1], "s")]
		if err != nil || !ok {
			return 0, false
		}
		now = now.Add(-time.Duration(n) * unit)
	}
	return now.UnixMilli(), true
}

// intervalUnits are the units of a fixed length, which alone a retention may have.
var intervalUnits = map[string]time.Duration{
	"week": 7 * 24 * time.Hour, "day": 24 * time.Hour, "hour": time.Hour, "minute": time.Minute, "second": time.Second, "millisecond": time.Millisecond,
}
