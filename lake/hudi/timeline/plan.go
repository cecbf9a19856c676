package timeline

// InstantInfo names an action in a plan or its outcome.
type InstantInfo struct {
	CommitTime string `avro:"commitTime"`
	Action     string `avro:"action"`
}

// CompactionPlan is what a requested compaction or log compaction is to do.
type CompactionPlan struct {
	Operations                []CompactionOperation `avro:"operations"`
	ExtraMetadata             map[string]string     `avro:"extraMetadata"`
	Version                   int32                 `avro:"version"` // 2: paths are names within their partition
	Strategy                  *CompactionStrategy   `avro:"strategy"`
	PreserveHoodieMetadata    bool                  `avro:"preserveHoodieMetadata"`
	MissingSchedulePartitions []string              `avro:"missingSchedulePartitions"` // from table version 8
}

// CompactionOperation is a file slice to compact.
type CompactionOperation struct {
	BaseInstantTime   string             `avro:"baseInstantTime"`
	DeltaFilePaths    []string           `avro:"deltaFilePaths"`        // names of log files
	DataFilePath      string             `avro:"dataFilePath,omitzero"` // name of the base file, "" if there is none
	FileID            string             `avro:"fileId"`
	PartitionPath     string             `avro:"partitionPath"`
	Metrics           map[string]float64 `avro:"metrics"`
	BootstrapFilePath string             `avro:"bootstrapFilePath,omitzero"`
}

// CompactionStrategy says who is to compact, and how.
type CompactionStrategy struct {
	CompactorClassName string            `avro:"compactorClassName,omitzero"`
	StrategyParams     map[string]string `avro:"strategyParams"`
	Version            int32             `avro:"version"`
}

// ReplacePlan is what a requested replacecommit or clustering says. One of an
// insert overwrite or a deletion of partitions is the zero value.
type ReplacePlan struct {
	OperationType  string            `avro:"operationType,omitzero"` // CLUSTER, or nothing
	ClusteringPlan *ClusteringPlan   `avro:"clusteringPlan"`
	ExtraMetadata  map[string]string `avro:"extraMetadata"`
	Version        *int32            `avro:"version"`
}

// ClusteringPlan says which file groups become which new ones.
type ClusteringPlan struct {
	InputGroups               []ClusteringGroup   `avro:"inputGroups"`
	Strategy                  *ClusteringStrategy `avro:"strategy"`
	ExtraMetadata             map[string]string   `avro:"extraMetadata"`
	Version                   int32               `avro:"version"`
	PreserveHoodieMetadata    bool                `avro:"preserveHoodieMetadata"`
	MissingSchedulePartitions []string            `avro:"missingSchedulePartitions"` // from table version 8
}

// ClusteringGroup are file slices that are rewritten together.
type ClusteringGroup struct {
	Slices              []SliceInfo        `avro:"slices"`
	Metrics             map[string]float64 `avro:"metrics"`
	NumOutputFileGroups int32              `avro:"numOutputFileGroups"`
	ExtraMetadata       map[string]string  `avro:"extraMetadata"`
	Version             int32              `avro:"version"`
}

// SliceInfo names a file slice in a clustering plan. Paths are absolute.
type SliceInfo struct {
	DataFilePath      string   `avro:"dataFilePath"`
	DeltaFilePaths    []string `avro:"deltaFilePaths"`
	FileID            string   `avro:"fileId"`
	PartitionPath     string   `avro:"partitionPath"`
	BootstrapFilePath string   `avro:"bootstrapFilePath"`
	Version           int32    `avro:"version"`
}

// ClusteringStrategy says how groups are rewritten.
type ClusteringStrategy struct {
	StrategyClassName string            `avro:"strategyClassName,omitzero"`
	StrategyParams    map[string]string `avro:"strategyParams"`
	Version           int32             `avro:"version"`
}

// CleanPlan is what a clean is to delete.
type CleanPlan struct {
	EarliestInstantToRetain       *ActionInstant             `avro:"earliestInstantToRetain"`
	LastCompletedCommitTimestamp  string                     `avro:"lastCompletedCommitTimestamp"`
	Policy                        string                     `avro:"policy"`                       // KEEP_LATEST_COMMITS, KEEP_LATEST_FILE_VERSIONS, KEEP_LATEST_BY_HOURS
	FilesToBeDeletedPerPartition  map[string][]string        `avro:"filesToBeDeletedPerPartition"` // superseded: empty
	Version                       int32                      `avro:"version"`
	FilePathsToBeDeletedPartition map[string][]CleanFileInfo `avro:"filePathsToBeDeletedPerPartition"`
	PartitionsToBeDeleted         []string                   `avro:"partitionsToBeDeleted"`
	ExtraMetadata                 map[string]string          `avro:"extraMetadata"`
}

// ActionInstant names an action and its state.
type ActionInstant struct {
	Timestamp string `avro:"timestamp"`
	Action    string `avro:"action"`
	State     string `avro:"state"`
}

// CleanFileInfo is a file to delete, by its absolute path.
type CleanFileInfo struct {
	FilePath            string `avro:"filePath"`
	IsBootstrapBaseFile bool   `avro:"isBootstrapBaseFile"`
}

// RollbackPlan is what a rollback is to undo.
type RollbackPlan struct {
	InstantToRollback *InstantInfo      `avro:"instantToRollback"`
	RollbackRequests  []RollbackRequest `avro:"RollbackRequests"`
	Version           int32             `avro:"version"`
}

// RollbackRequest are files to delete or to write a command block after.
type RollbackRequest struct {
	PartitionPath        string           `avro:"partitionPath"`
	FileID               string           `avro:"fileId"`
	LatestBaseInstant    string           `avro:"latestBaseInstant"`
	FilesToBeDeleted     []string         `avro:"filesToBeDeleted"`     // absolute paths
	LogBlocksToBeDeleted map[string]int64 `avro:"logBlocksToBeDeleted"` // size by path of log file
}

// RestorePlan is what a restore is to undo.
type RestorePlan struct {
	InstantsToRollback []InstantInfo `avro:"instantsToRollback"`
	Version            int32         `avro:"version"`
	SavepointToRestore string        `avro:"savepointToRestoreTimestamp,omitzero"` // from table version 6
}

// IndexPlan is which partitions of the metadata table an indexing is to build.
type IndexPlan struct {
	Version             int32                `avro:"version"`
	IndexPartitionInfos []IndexPartitionInfo `avro:"indexPartitionInfos"`
}

// IndexPartitionInfo is a partition of the metadata table and the instant up to
// which it covers the table.
type IndexPartitionInfo struct {
	Version               int32             `avro:"version"`
	MetadataPartitionPath string            `avro:"metadataPartitionPath"`
	IndexUptoInstant      string            `avro:"indexUptoInstant"`
	ExtraMetadata         map[string]string `avro:"extraMetadata"`
}

func (*CompactionPlan) schema(version int) string { return schemaOf("compactionplan", version) }
func (*ReplacePlan) schema(version int) string    { return schemaOf("replaceplan", version) }
func (*CleanPlan) schema(version int) string      { return schemaOf("cleanplan", version) }
func (*RollbackPlan) schema(version int) string   { return schemaOf("rollbackplan", version) }
func (*RestorePlan) schema(version int) string    { return schemaOf("restoreplan", version) }
func (*IndexPlan) schema(version int) string      { return schemaOf("indexplan", version) }
