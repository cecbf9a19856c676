package delta

import (
	"strconv"

	"github.com/go-json-experiment/json/jsontext"
)

// Action is one line of a commit: *Add, *Remove, *Metadata, *Protocol, *CommitInfo, *Txn, *DomainMetadata or *CDC,
// and in V2 checkpoints *SidecarRef and *CheckpointMetadata. An action is not changed once it was read.
type Action interface{ action() }

// Add puts a data file into the table, or replaces what is known of one (P §Add File and Remove File).
type Add struct {
	Path                    string             `json:"path"` // as in the log: URI-encoded; see DecodePath
	PartitionValues         map[string]*string `json:"partitionValues"`
	Size                    int64              `json:"size"`
	ModificationTime        int64              `json:"modificationTime"` // milliseconds since 1970
	DataChange              bool               `json:"dataChange"`
	Stats                   string             `json:"stats,omitzero"` // JSON; "" when there is none
	Tags                    map[string]*string `json:"tags,omitzero"`
	DeletionVector          *DeletionVector    `json:"deletionVector,omitzero"`
	BaseRowID               *int64             `json:"baseRowId,omitzero"`
	DefaultRowCommitVersion *int64             `json:"defaultRowCommitVersion,omitzero"`
	ClusteringProvider      string             `json:"clusteringProvider,omitzero"`
}

// Remove takes a data file out of the table. It stays in checkpoints as a tombstone until its retention is over.
type Remove struct {
	Path                    string             `json:"path"`
	DeletionTimestamp       *int64             `json:"deletionTimestamp,omitzero"` // milliseconds since 1970
	DataChange              bool               `json:"dataChange"`
	ExtendedFileMetadata    *bool              `json:"extendedFileMetadata,omitzero"` // PartitionValues and Size are set
	PartitionValues         map[string]*string `json:"partitionValues,omitzero"`
	Size                    *int64             `json:"size,omitzero"`
	Stats                   string             `json:"stats,omitzero"`
	Tags                    map[string]*string `json:"tags,omitzero"`
	DeletionVector          *DeletionVector    `json:"deletionVector,omitzero"`
	BaseRowID               *int64             `json:"baseRowId,omitzero"`
	DefaultRowCommitVersion *int64             `json:"defaultRowCommitVersion,omitzero"`
}

// DeletionVector says where the positions of a file's deleted rows are (P §Deletion Vector Descriptor Schema).
type DeletionVector struct {
	StorageType    string `json:"storageType"`     // "u": below the table, "i": inline, "p": absolute path
	PathOrInlineDV string `json:"pathOrInlineDv"`  // by StorageType
	Offset         *int32 `json:"offset,omitzero"` // in the file; absent is 0
	SizeInBytes    int32  `json:"sizeInBytes"`     // of the bitmap alone, without size and checksum around it
	Cardinality    int64  `json:"cardinality"`     // rows in it
	MaxRowIndex    *int64 `json:"maxRowIndex,omitzero"`
}

// ID is what tells one vector from another; with a data file's path it is the key of the file's state.
func (d *DeletionVector) ID() string {
	if d == nil {
		return ""
	}
	id := d.StorageType + d.PathOrInlineDV
	if d.Offset != nil {
		id += "@" + strconv.FormatInt(int64(*d.Offset), 10)
	}
	return id
}

// Metadata describes the table from its version on (P §Change Metadata).
type Metadata struct {
	ID               string            `json:"id"`
	Name             string            `json:"name,omitzero"`
	Description      string            `json:"description,omitzero"`
	Format           FileFormat        `json:"format"`
	SchemaString     string            `json:"schemaString"`
	PartitionColumns []string          `json:"partitionColumns"`
	Configuration    map[string]string `json:"configuration"`
	CreatedTime      *int64            `json:"createdTime,omitzero"` // milliseconds since 1970
}

// FileFormat is the format of the data files: always Parquet.
type FileFormat struct {
	Provider string            `json:"provider"`
	Options  map[string]string `json:"options"`
}

// Protocol says what a client must understand (P §Protocol Evolution). A feature list is nil when absent.
type Protocol struct {
	MinReaderVersion int      `json:"minReaderVersion"`
	MinWriterVersion int      `json:"minWriterVersion"`
	ReaderFeatures   []string `json:"readerFeatures,omitzero"`
	WriterFeatures   []string `json:"writerFeatures,omitzero"`
}

// CommitInfo tells where a commit came from (P §Commit Provenance Information). Any object is legal there, so a
// member of another type than expected is kept in Rest instead of being an error.
type CommitInfo struct {
	Timestamp           *int64
	InCommitTimestamp   *int64
	UserID, UserName    string
	Operation           string
	OperationParameters jsontext.Value // an object whose values are text, by custom the text of JSON
	ReadVersion         *int64
	IsolationLevel      string
	IsBlindAppend       *bool
	OperationMetrics    map[string]string
	UserMetadata        *string
	EngineInfo          string
	TxnID               string
	Rest                map[string]jsontext.Value // the other members
}

// Txn records how far an application got, for writes that happen at most once (P §Transaction Identifiers).
type Txn struct {
	AppID       string `json:"appId"`
	Version     int64  `json:"version"`
	LastUpdated *int64 `json:"lastUpdated,omitzero"` // milliseconds since 1970
}

// DomainMetadata is configuration under a name (P §Domain Metadata). Names that start with "delta." belong to the system.
type DomainMetadata struct {
	Domain        string `json:"domain"`
	Configuration string `json:"configuration"`
	Removed       bool   `json:"removed"`
}

// CDC is a file of row changes (P §Add CDC File). It is not part of the table.
type CDC struct {
	Path            string             `json:"path"`
	PartitionValues map[string]*string `json:"partitionValues"`
	Size            int64              `json:"size"`
	DataChange      bool               `json:"dataChange"`
	Tags            map[string]*string `json:"tags,omitzero"`
}

// SidecarRef names a file with file actions that belong to a V2 checkpoint (P §Sidecar File Information).
type SidecarRef struct {
	Path             string             `json:"path"` // relative to _delta_log/_sidecars
	SizeInBytes      int64              `json:"sizeInBytes"`
	ModificationTime int64              `json:"modificationTime"`
	Tags             map[string]*string `json:"tags,omitzero"`
}

// CheckpointMetadata marks a checkpoint that follows the V2 spec (P §Checkpoint Metadata).
type CheckpointMetadata struct {
	Version int64              `json:"version"`
	Tags    map[string]*string `json:"tags,omitzero"`
}

func (*Add) action()                {}
func (*Remove) action()             {}
func (*Metadata) action()           {}
func (*Protocol) action()           {}
func (*CommitInfo) action()         {}
func (*Txn) action()                {}
func (*DomainMetadata) action()     {}
func (*CDC) action()                {}
func (*SidecarRef) action()         {}
func (*CheckpointMetadata) action() {}
