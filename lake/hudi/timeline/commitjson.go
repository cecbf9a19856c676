package timeline

import (
	"bytes"
	"encoding/json"
	"fmt"
)

// jsonCommit is a CommitMetadata of layout 1, its fields in Hudi's order.
type jsonCommit struct {
	PartitionToWriteStats     map[string][]jsonStat `json:"partitionToWriteStats"`
	Compacted                 bool                  `json:"compacted"`
	ExtraMetadata             map[string]*string    `json:"extraMetadata"`
	OperationType             string                `json:"operationType,omitempty"`
	PartitionToReplaceFileIDs *map[string][]string  `json:"partitionToReplaceFileIds,omitempty"`
}

type jsonStat struct {
	FileID                       *string         `json:"fileId"`
	Path                         *string         `json:"path"`
	CDCStats                     json.RawMessage `json:"cdcStats,omitempty"` // from version 6
	PrevCommit                   *string         `json:"prevCommit"`
	NumWrites                    int64           `json:"numWrites"`
	NumDeletes                   int64           `json:"numDeletes"`
	NumUpdateWrites              int64           `json:"numUpdateWrites"`
	NumInserts                   int64           `json:"numInserts"`
	TotalWriteBytes              int64           `json:"totalWriteBytes"`
	TotalWriteErrors             int64           `json:"totalWriteErrors"`
	TempPath                     *string         `json:"tempPath"`
	PartitionPath                *string         `json:"partitionPath"`
	TotalLogRecords              int64           `json:"totalLogRecords"`
	TotalLogFilesCompacted       int64           `json:"totalLogFilesCompacted"`
	TotalLogSizeCompacted        int64           `json:"totalLogSizeCompacted"`
	TotalUpdatedRecordsCompacted int64           `json:"totalUpdatedRecordsCompacted"`
	TotalLogBlocks               int64           `json:"totalLogBlocks"`
	TotalCorruptLogBlock         int64           `json:"totalCorruptLogBlock"`
	TotalRollbackBlocks          int64           `json:"totalRollbackBlocks"`
	FileSizeInBytes              int64           `json:"fileSizeInBytes"`
	MinEventTime                 *int64          `json:"minEventTime"`
	MaxEventTime                 *int64          `json:"maxEventTime"`
	RuntimeStats                 *RuntimeStats   `json:"runtimeStats"`

	// Only of log files.
	LogVersion   int32           `json:"logVersion,omitempty"`
	LogOffset    *int64          `json:"logOffset,omitempty"`
	BaseFile     *string         `json:"baseFile,omitempty"`
	LogFiles     *[]string       `json:"logFiles,omitempty"`
	RecordsStats json.RawMessage `json:"recordsStats,omitempty"` // column ranges
}

// decodeJSON decodes the metadata of a commit of layout 1.
func (m *CommitMetadata) decodeJSON(data []byte) error {
	var j jsonCommit
	if err := json.Unmarshal(data, &j); err != nil {
		return fmt.Errorf("commit metadata: %w", err)
	}
	*m = CommitMetadata{
		PartitionToWriteStats: make(map[string][]WriteStat, len(j.PartitionToWriteStats)),
		Compacted:             j.Compacted,
		ExtraMetadata:         make(map[string]string, len(j.ExtraMetadata)),
		OperationType:         j.OperationType,
	}
	if j.PartitionToReplaceFileIDs != nil {
		m.PartitionToReplaceFileIDs = *j.PartitionToReplaceFileIDs
	}
	for k, v := range j.ExtraMetadata {
		if v != nil {
			m.ExtraMetadata[k] = *v
		}
	}
	for p, stats := range j.PartitionToWriteStats {
		list := make([]WriteStat, len(stats))
		for i := range stats {
			if err := stats[i].to(&list[i]); err != nil {
				return fmt.Errorf("commit metadata: partition %q: %w", p, err)
			}
		}
		m.PartitionToWriteStats[p] = list
	}
	return nil
}

func (j *jsonStat) to(s *WriteStat) error {
	*s = WriteStat{
		FileID: text(j.FileID), Path: text(j.Path), PrevCommit: text(j.PrevCommit), Partition: text(j.PartitionPath),
		NumWrites: j.NumWrites, NumDeletes: j.NumDeletes, NumUpdateWrites: j.NumUpdateWrites, NumInserts: j.NumInserts,
		TotalWriteBytes: j.TotalWriteBytes, TotalWriteErrors: j.TotalWriteErrors, FileSizeInBytes: j.FileSizeInBytes,
		TotalLogRecords: j.TotalLogRecords, TotalLogFilesCompacted: j.TotalLogFilesCompacted, TotalLogSizeCompacted: j.TotalLogSizeCompacted,
		TotalUpdatedRecordsCompacted: j.TotalUpdatedRecordsCompacted, TotalLogBlocks: j.TotalLogBlocks,
		TotalCorruptLogBlock: j.TotalCorruptLogBlock, TotalRollbackBlocks: j.TotalRollbackBlocks,
		MinEventTime: j.MinEventTime, MaxEventTime: j.MaxEventTime, RuntimeStats: j.RuntimeStats,
	}
	s.LogVersion, s.BaseFile = j.LogVersion, text(j.BaseFile)
	if j.LogOffset != nil {
		s.LogOffset = *j.LogOffset
	}
	if j.LogFiles != nil {
		s.LogFiles = *j.LogFiles
	}
	if len(j.RecordsStats) > 0 {
		var compact bytes.Buffer
		if err := json.Compact(&compact, j.RecordsStats); err != nil {
			return err
		}
		s.RecordsStats = compact.Bytes()
	}
	if len(j.CDCStats) == 0 {
		return nil
	}
	return json.Unmarshal(j.CDCStats, &s.CDCStats)
}

func text(s *string) string {
	if s == nil {
		return ""
	}
	return *s
}

// encodeJSON writes the metadata as releases of layout 1 do, version 5 or 6.
func (m *CommitMetadata) encodeJSON(version int) ([]byte, error) {
	j := jsonCommit{
		PartitionToWriteStats: make(map[string][]jsonStat, len(m.PartitionToWriteStats)),
		Compacted:             m.Compacted,
		ExtraMetadata:         make(map[string]*string, len(m.ExtraMetadata)),
		OperationType:         m.OperationType,
	}
	if m.PartitionToReplaceFileIDs != nil {
		j.PartitionToReplaceFileIDs = &m.PartitionToReplaceFileIDs
	}
	for k, v := range m.ExtraMetadata {
		j.ExtraMetadata[k] = &v
	}
	for p, stats := range m.PartitionToWriteStats {
		list := make([]jsonStat, len(stats))
		for i := range stats {
			if err := list[i].from(&stats[i], version); err != nil {
				return nil, err
			}
		}
		j.PartitionToWriteStats[p] = list
	}
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(j); err != nil {
		return nil, err
	}
	return spaced(b.Bytes()), nil
}

func (j *jsonStat) from(s *WriteStat, version int) error {
	*j = jsonStat{
		FileID: &s.FileID, Path: nullable(s.Path), PrevCommit: &s.PrevCommit,
		NumWrites: s.NumWrites, NumDeletes: s.NumDeletes, NumUpdateWrites: s.NumUpdateWrites, NumInserts: s.NumInserts,
		TotalWriteBytes: s.TotalWriteBytes, TotalWriteErrors: s.TotalWriteErrors, FileSizeInBytes: s.FileSizeInBytes,
		TotalLogRecords: s.TotalLogRecords, TotalLogFilesCompacted: s.TotalLogFilesCompacted, TotalLogSizeCompacted: s.TotalLogSizeCompacted,
		TotalUpdatedRecordsCompacted: s.TotalUpdatedRecordsCompacted, TotalLogBlocks: s.TotalLogBlocks,
		TotalCorruptLogBlock: s.TotalCorruptLogBlock, TotalRollbackBlocks: s.TotalRollbackBlocks,
		MinEventTime: s.MinEventTime, MaxEventTime: s.MaxEventTime, RuntimeStats: s.RuntimeStats,
	}
	if s.Path != "" {
		j.PartitionPath = &s.Partition
	}
	if s.IsLog() {
		files := append([]string{}, s.LogFiles...) // not null
		j.LogVersion, j.LogOffset, j.BaseFile, j.LogFiles = s.LogVersion, &s.LogOffset, &s.BaseFile, &files
		if j.RecordsStats = s.RecordsStats; j.RecordsStats == nil {
			j.RecordsStats = json.RawMessage(`{"val":null}`)
		}
	}
	if version < 6 {
		return nil
	}
	var err error
	j.CDCStats, err = json.Marshal(s.CDCStats)
	return err
}

func nullable(s string) *string {
	if s == "" {
		return nil
	}
	return &s
}

// spaced lays out compact JSON as Jackson's default pretty printer does: objects
// over lines, arrays on one.
func spaced(data []byte) []byte {
	var b bytes.Buffer
	depth, quoted := 0, false
	line := func() { b.WriteString("\n" + string(bytes.Repeat([]byte("  "), depth))) }
	var open []byte // of the objects and arrays around
	for i := 0; i < len(data); i++ {
		c := data[i]
		switch {
		case quoted:
			b.WriteByte(c)
			if c == '\\' {
				i++
				b.WriteByte(data[i])
			}
			quoted = c != '"'
		case c == '"':
			quoted = true
			b.WriteByte(c)
		case (c == '{' || c == '[') && (data[i+1] == '}' || data[i+1] == ']'):
			b.Write([]byte{c, ' ', data[i+1]})
			i++
		case c == '{':
			b.WriteByte(c)
			open, depth = append(open, c), depth+1
			line()
		case c == '[':
			b.WriteString("[ ")
			open = append(open, c)
		case c == '}':
			open, depth = open[:len(open)-1], depth-1
			line()
			b.WriteByte(c)
		case c == ']':
			open = open[:len(open)-1]
			b.WriteString(" ]")
		case c == ',' && open[len(open)-1] == '{':
			b.WriteByte(c)
			line()
		case c == ',':
			b.WriteString(", ")
		case c == ':':
			b.WriteString(" : ")
		case c != '\n':
			b.WriteByte(c)
		}
	}
	return b.Bytes()
}
