package timeline

// CommitMetadata is what a commit, deltacommit or replacecommit says: which files
// it wrote, and what the table is afterwards. The inflight file of a write holds
// one too, the workload it expects.
type CommitMetadata struct {
	PartitionToWriteStats map[string][]WriteStat
	Compacted             bool
	ExtraMetadata         map[string]string
	OperationType         string

	// PartitionToReplaceFileIDs are the file groups that a completed
	// replacecommit takes out of the table. Not nil, also if empty, it makes the
	// record one of a replacecommit.
	PartitionToReplaceFileIDs map[string][]string
}

// SchemaKey is the key of CommitMetadata.ExtraMetadata under which writers keep
// the table's Avro schema, without meta fields.
const SchemaKey = "schema"

// WriteStat tells of one file that a commit wrote. Texts that Hudi keeps as null
// are "".
type WriteStat struct {
	FileID     string `avro:"fileId"`        // "" in an inflight file: inserts to new file groups
	Path       string `avro:"path,omitzero"` // relative to the table; null in inflight files
	PrevCommit string `avro:"prevCommit"`    // instant of the slice that was there before, NoCommit of a new group
	Partition  string `avro:"-"`             // "" if not partitioned
	BaseFile   string `avro:"-"`             // of a log file: name of the base file of its slice, "" if it has none

	NumWrites       int64 `avro:"numWrites"`       // rows of the file
	NumDeletes      int64 `avro:"numDeletes"`      // rows taken out
	NumUpdateWrites int64 `avro:"numUpdateWrites"` // rows changed
	NumInserts      int64 `avro:"numInserts"`      // rows added

	TotalWriteBytes  int64 `avro:"totalWriteBytes"`
	TotalWriteErrors int64 `avro:"totalWriteErrors"`
	FileSizeInBytes  int64 `avro:"fileSizeInBytes"`

	// Of compactions.
	TotalLogRecords              int64 `avro:"totalLogRecords"`
	TotalLogFilesCompacted       int64 `avro:"totalLogFilesCompacted"`
	TotalLogSizeCompacted        int64 `avro:"totalLogSizeCompacted"`
	TotalLogReadTimeMs           int64 `avro:"totalLogReadTimeMs"` // layout 2 only
	TotalUpdatedRecordsCompacted int64 `avro:"totalUpdatedRecordsCompacted"`
	TotalLogBlocks               int64 `avro:"totalLogBlocks"`
	TotalCorruptLogBlock         int64 `avro:"totalCorruptLogBlock"`
	TotalRollbackBlocks          int64 `avro:"totalRollbackBlocks"`

	// Of log files, which have a LogVersion of 1 and more.
	LogVersion int32    `avro:"logVersion,omitzero"`
	LogOffset  int64    `avro:"-"`
	LogFiles   []string `avro:"logFiles"` // names of the log files of the slice, or of those written

	// RecordsStats are column ranges of a log file as layout 1 keeps them, JSON;
	// nil is {"val":null}.
	RecordsStats []byte `avro:"-"`

	CDCStats     map[string]int64 `avro:"cdcStats"`              // sizes of change files by path; nil from version 5 on down
	PrevBaseFile string           `avro:"prevBaseFile,omitzero"` // layout 2 only
	MinEventTime *int64           `avro:"minEventTime"`
	MaxEventTime *int64           `avro:"maxEventTime"`
	RuntimeStats *RuntimeStats    `avro:"runtimeStats"` // nil in inflight files
}

// NoCommit is the PrevCommit of a file of a new file group.
const NoCommit = "null"

// RuntimeStats are milliseconds that the writer of a file took.
type RuntimeStats struct {
	TotalScanTime   int64 `avro:"totalScanTime" json:"totalScanTime"`
	TotalUpsertTime int64 `avro:"totalUpsertTime" json:"totalUpsertTime"`
	TotalCreateTime int64 `avro:"totalCreateTime" json:"totalCreateTime"`
}

// IsLog says whether the file is a log file.
func (s *WriteStat) IsLog() bool { return s.LogVersion > 0 }

// Schema returns the Avro schema of the table after the commit, "" if the commit
// does not say.
func (m *CommitMetadata) Schema() string { return m.ExtraMetadata[SchemaKey] }

func (m *CommitMetadata) schema(version int) string {
	if m.PartitionToReplaceFileIDs != nil {
		return schemaOf("replacecommit", version)
	}
	return schemaOf("commit", version)
}

// avroCommit is a CommitMetadata as Avro files hold it.
type avroCommit struct {
	PartitionToWriteStats     map[string][]avroStat `avro:"partitionToWriteStats"`
	Compacted                 bool                  `avro:"compacted"`
	ExtraMetadata             map[string]string     `avro:"extraMetadata"`
	Version                   *int32                `avro:"version"` // null in all files known
	OperationType             string                `avro:"operationType,omitzero"`
	PartitionToReplaceFileIDs map[string][]string   `avro:"partitionToReplaceFileIds"`
}

// avroStat is a WriteStat with the fields whose null is not told by their value.
type avroStat struct {
	WriteStat
	Partition *string `avro:"partitionPath"` // null if Path is
	BaseFile  *string `avro:"baseFile"`      // null if the file is no log file
	LogOffset *int64  `avro:"logOffset"`     // likewise

	// Of every file the same.
	TotalLogFiles *int64  `avro:"totalLogFiles"`
	NumUpdates    int64   `avro:"numUpdates"`
	TempPath      *string `avro:"tempPath"`
}

func (m *CommitMetadata) decodeAvro(data []byte) error {
	var a avroCommit
	if err := decodeAvro(data, &a); err != nil {
		return err
	}
	*m = *a.metadata()
	return nil
}

// metadata returns the commit that a holds.
func (a *avroCommit) metadata() *CommitMetadata {
	m := &CommitMetadata{
		PartitionToWriteStats:     make(map[string][]WriteStat, len(a.PartitionToWriteStats)),
		Compacted:                 a.Compacted,
		ExtraMetadata:             a.ExtraMetadata,
		OperationType:             a.OperationType,
		PartitionToReplaceFileIDs: a.PartitionToReplaceFileIDs,
	}
	delete(m.ExtraMetadata, rollingStat)
	for p, stats := range a.PartitionToWriteStats {
		list := make([]WriteStat, len(stats))
		for i, s := range stats {
			list[i] = s.WriteStat
			list[i].Partition, list[i].BaseFile = text(s.Partition), text(s.BaseFile)
			if s.LogOffset != nil {
				list[i].LogOffset = *s.LogOffset
			}
		}
		m.PartitionToWriteStats[p] = list
	}
	return m
}

func (m *CommitMetadata) avro() *avroCommit {
	a := &avroCommit{
		PartitionToWriteStats:     make(map[string][]avroStat, len(m.PartitionToWriteStats)),
		Compacted:                 m.Compacted,
		ExtraMetadata:             m.ExtraMetadata,
		OperationType:             m.OperationType,
		PartitionToReplaceFileIDs: m.PartitionToReplaceFileIDs,
	}
	if a.ExtraMetadata == nil {
		a.ExtraMetadata = map[string]string{}
	}
	for p, stats := range m.PartitionToWriteStats {
		list := make([]avroStat, len(stats))
		for i, s := range stats {
			list[i] = avroStat{WriteStat: s}
			if s.Path != "" {
				list[i].Partition = &stats[i].Partition
			}
			if s.IsLog() {
				list[i].BaseFile, list[i].LogOffset = &stats[i].BaseFile, &stats[i].LogOffset
			}
		}
		a.PartitionToWriteStats[p] = list
	}
	return a
}
