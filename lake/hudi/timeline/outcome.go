package timeline

// CleanMetadata is what a clean deleted.
type CleanMetadata struct {
	StartCleanTime               string                            `avro:"startCleanTime"` // an instant
	TimeTakenInMillis            int64                             `avro:"timeTakenInMillis"`
	TotalFilesDeleted            int32                             `avro:"totalFilesDeleted"`
	EarliestCommitToRetain       string                            `avro:"earliestCommitToRetain"`
	LastCompletedCommitTimestamp string                            `avro:"lastCompletedCommitTimestamp"`
	PartitionMetadata            map[string]CleanPartitionMetadata `avro:"partitionMetadata"`
	Version                      int32                             `avro:"version"`
	BootstrapPartitionMetadata   map[string]CleanPartitionMetadata `avro:"bootstrapPartitionMetadata"`
	ExtraMetadata                map[string]string                 `avro:"extraMetadata"`
}

// CleanPartitionMetadata is what a clean deleted in a partition: names of files.
type CleanPartitionMetadata struct {
	PartitionPath      string   `avro:"partitionPath"`
	Policy             string   `avro:"policy"`
	DeletePathPatterns []string `avro:"deletePathPatterns"`
	SuccessDeleteFiles []string `avro:"successDeleteFiles"`
	FailedDeleteFiles  []string `avro:"failedDeleteFiles"`
	IsPartitionDeleted bool     `avro:"isPartitionDeleted"`
}

// RollbackMetadata is what a rollback undid.
type RollbackMetadata struct {
	StartRollbackTime string                               `avro:"startRollbackTime"` // the rollback's instant
	TimeTakenInMillis int64                                `avro:"timeTakenInMillis"`
	TotalFilesDeleted int32                                `avro:"totalFilesDeleted"`
	CommitsRollback   []string                             `avro:"commitsRollback"`
	PartitionMetadata map[string]RollbackPartitionMetadata `avro:"partitionMetadata"`
	Version           int32                                `avro:"version"`
	InstantsRollback  []InstantInfo                        `avro:"instantsRollback"`
}

// RollbackPartitionMetadata is what a rollback undid in a partition: absolute
// paths of files.
type RollbackPartitionMetadata struct {
	PartitionPath            string           `avro:"partitionPath"`
	SuccessDeleteFiles       []string         `avro:"successDeleteFiles"`
	FailedDeleteFiles        []string         `avro:"failedDeleteFiles"`
	RollbackLogFiles         map[string]int64 `avro:"rollbackLogFiles"`         // sizes of log files written for it
	LogFilesFromFailedCommit map[string]int64 `avro:"logFilesFromFailedCommit"` // from table version 6
}

// RestoreMetadata is what a restore undid.
type RestoreMetadata struct {
	StartRestoreTime   string                        `avro:"startRestoreTime"` // the restore's instant
	TimeTakenInMillis  int64                         `avro:"timeTakenInMillis"`
	InstantsToRollback []string                      `avro:"instantsToRollback"`
	Rollbacks          map[string][]RollbackMetadata `avro:"hoodieRestoreMetadata"` // by the instant undone
	Version            int32                         `avro:"version"`
	RestoreInstantInfo []InstantInfo                 `avro:"restoreInstantInfo"`
}

// SavepointMetadata is which files a savepoint keeps from being cleaned.
type SavepointMetadata struct {
	SavepointedBy     string                                `avro:"savepointedBy"`
	SavepointedAt     int64                                 `avro:"savepointedAt"` // milliseconds since 1970
	Comments          string                                `avro:"comments"`
	PartitionMetadata map[string]SavepointPartitionMetadata `avro:"partitionMetadata"`
	Version           int32                                 `avro:"version"`
}

// SavepointPartitionMetadata are names of files of a partition.
type SavepointPartitionMetadata struct {
	PartitionPath     string   `avro:"partitionPath"`
	SavepointDataFile []string `avro:"savepointDataFile"`
}

// IndexMetadata is which partitions of the metadata table an indexing built.
type IndexMetadata struct {
	Version             int32                `avro:"version"`
	OperationType       string               `avro:"operationType,omitzero"`
	IndexPartitionInfos []IndexPartitionInfo `avro:"indexPartitionInfos"`
}

func (*CleanMetadata) schema(version int) string     { return schemaOf("clean", version) }
func (*RollbackMetadata) schema(version int) string  { return schemaOf("rollback", version) }
func (*RestoreMetadata) schema(version int) string   { return schemaOf("restore", version) }
func (*SavepointMetadata) schema(version int) string { return schemaOf("savepoint", version) }
func (*IndexMetadata) schema(version int) string     { return schemaOf("index", version) }
