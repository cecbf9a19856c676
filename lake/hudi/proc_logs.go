package hudi

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"path"
	"slices"
	"strings"
	"time"

	"github.com/apache/arrow-go/v18/arrow/decimal128"

	"github.com/tarn-lake/tarn/internal/avro"
	"github.com/tarn-lake/tarn/lake"
	"github.com/tarn-lake/tarn/lake/hudi/logfile"
	"github.com/tarn-lake/tarn/types"
)

// logProcedures tell what log files hold.
func logProcedures() []procedure {
	pattern := required("log_file_path_pattern", "a pattern of paths of log files, relative to the table or whole; * is within a folder")
	return []procedure{
		{"show_logfile_metadata", "Shows the blocks of log files.", []lake.Param{tableParam(), pattern, limitParam(10)},
			columns("instant_time", "record_count int", "block_type", "header_metadata", "footer_metadata"), showLogMetadata},
		{"show_logfile_records", "Shows the rows in the Avro blocks of log files, as JSON objects of texts.",
			[]lake.Param{tableParam(), pattern, optional("merge", types.Boolean, false, "not supported: a query of the table merges"), limitParam(10)},
			columns("records"), showLogRecords},
	}
}

// eachBlock visits the blocks of the log files that the call names.
func (c *call) eachBlock(ctx context.Context, visit func(*logfile.Block) error) error {
	groups, err := listFiles(ctx, c.bucket)
	if err != nil {
		return err
	}
	pattern := strings.TrimPrefix(strings.TrimPrefix(c.text("log_file_path_pattern"), "file:"), c.path+"/")
	any := false
	for _, g := range groups.sorted() {
		slices.SortFunc(g.logs, compareLogs)
		for _, l := range g.logs {
			ok, err := path.Match(pattern, l.Path)
			if err != nil {
				return fmt.Errorf("the pattern %q: %w", pattern, err)
			}
			if !ok {
				continue
			}
			any = true
			if err := c.blocksOf(ctx, l.Path, visit); err != nil {
				return err
			}
		}
	}
	if !any {
		return c.refuse("Paths are relative to the table, such as eu/.*.log.*", "no log file matches %q", pattern)
	}
	return nil
}

// blocksOf visits the blocks of a log file.
func (t *Table) blocksOf(ctx context.Context, file string, visit func(*logfile.Block) error) error {
	f, err := t.bucket.Open(ctx, file)
	if err != nil {
		return err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return err
	}
	r := logfile.NewReader(f, info.Size)
	for {
		b, err := r.Next()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err == nil {
			err = visit(b)
		}
		if err != nil {
			return t.fail("read the log", file, err)
		}
	}
}

// headerNames are the keys of block headers as Hudi spells them.
var headerNames = map[logfile.Key]string{logfile.InstantTime: "INSTANT_TIME", logfile.TargetInstantTime: "TARGET_INSTANT_TIME", logfile.Schema: "SCHEMA",
	logfile.CommandType: "COMMAND_BLOCK_TYPE", logfile.CompactedBlockTimes: "COMPACTED_BLOCK_TIMES", logfile.RecordPositions: "RECORD_POSITIONS",
	logfile.BlockIdentifier: "BLOCK_IDENTIFIER", logfile.IsPartial: "IS_PARTIAL",
	logfile.BaseInstantOfPositions: "BASE_FILE_INSTANT_TIME_OF_RECORD_POSITIONS"}

// blockNames are the types of blocks as Hudi spells them.
var blockNames = map[logfile.Type]string{logfile.Command: "COMMAND_BLOCK", logfile.DeleteKeys: "DELETE_BLOCK", logfile.Corrupt: "CORRUPT_BLOCK",
	logfile.AvroData: "AVRO_DATA_BLOCK", logfile.HFileData: "HFILE_DATA_BLOCK", logfile.ParquetData: "PARQUET_DATA_BLOCK", logfile.CDCData: "CDC_DATA_BLOCK"}

func showLogMetadata(ctx context.Context, c *call) ([][]types.Value, error) {
	var rows [][]types.Value
	err := c.eachBlock(ctx, func(b *logfile.Block) error {
		header := map[string]string{}
		for _, e := range b.Header {
			header[headerNames[e.Key]] = e.Value
		}
		text, err := json.Marshal(header)
		if err != nil {
			return err
		}
		count, err := recordCount(b)
		if err != nil {
			return err
		}
		rows = append(rows, []types.Value{b.Instant(), count, blockNames[b.Type], string(text), "{}"})
		return nil
	})
	return rows, err
}

// recordCount is how many rows or keys a block holds; 0 where only its content's format tells.
func recordCount(b *logfile.Block) (int64, error) {
	switch b.Type {
	case logfile.AvroData, logfile.CDCData:
		records, err := b.Records()
		return int64(len(records)), err
	case logfile.DeleteKeys:
		keys, err := b.Deletions()
		return int64(len(keys)), err
	}
	return 0, nil
}

func showLogRecords(ctx context.Context, c *call) ([][]types.Value, error) {
	if c.flag("merge") {
		return nil, c.refuse("SELECT from the table gives merged rows.", "merging in show_logfile_records is not supported")
	}
	limit, _ := c.number("limit")
	var rows [][]types.Value
	err := c.eachBlock(ctx, func(b *logfile.Block) error {
		if b.Type != logfile.AvroData || limit >= 0 && int64(len(rows)) >= limit {
			return nil
		}
		texts, err := recordTexts(b)
		for _, text := range texts {
			rows = append(rows, []types.Value{text})
		}
		return err
	})
	return rows, err
}

// recordTexts are the rows of an Avro block as JSON objects, whose values are texts, booleans and null.
func recordTexts(b *logfile.Block) ([]string, error) {
	schema, err := avro.Parse(b.Header.Get(logfile.Schema))
	if err != nil {
		return nil, err
	}
	fields, err := schema.Struct()
	if err != nil {
		return nil, err
	}
	records, err := b.Records()
	if err != nil {
		return nil, err
	}
	d, err := avro.NewDecoder(schema, fields.Fields)
	if err != nil {
		return nil, err
	}
	for _, r := range records {
		if err := d.Append(r); err != nil {
			return nil, err
		}
	}
	batch := d.Batch()
	defer batch.Release()
	var out []string
	for i := range int(batch.NumRows()) {
		row := map[string]any{}
		for k, f := range fields.Fields {
			v, err := types.ValueAt(batch.Column(k), i, f.Type)
			if err != nil {
				return nil, err
			}
			if row[f.Name] = valueText(v, f.Type); isBoolean(v) {
				row[f.Name] = v
			}
		}
		text, err := json.Marshal(row)
		if err != nil {
			return nil, err
		}
		out = append(out, string(text))
	}
	return out, nil
}

func isBoolean(v types.Value) bool { _, ok := v.(bool); return ok }

// valueText is a value as text that people read; nil for NULL.
func valueText(v types.Value, t types.Type) types.Value {
	switch v := v.(type) {
	case nil:
		return nil
	case decimal128.Num:
		if d, ok := t.(types.Decimal); ok {
			return v.ToString(int32(d.S))
		}
	case int32:
		if t == types.Type(types.Date) {
			return string(types.AppendDate(nil, int64(v)))
		}
	case int64:
		switch t {
		case types.Type(types.Timestamp):
			return string(types.AppendTimestamp(nil, v, time.UTC))
		case types.Type(types.TimestampNTZ):
			return string(types.AppendTimestampNTZ(nil, v))
		}
	}
	return fmt.Sprint(v)
}
