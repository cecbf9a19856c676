package delta

import (
	"bytes"
	"maps"
	"runtime/debug"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/tarn-lake/tarn/lake"
)

// tally is what a transaction did, for operationMetrics. It counts as Delta Spark does: a file whose deletion vector
// changes is neither added nor removed, and a vector that replaces another is added, removed and updated.
type tally struct {
	lake.Metrics
	updatedVectors int
	rewrites       bool // rows were removed by a condition
	removes        bool // rows were to be removed
}

// operationMetrics are the metrics that Delta Spark gives to an operation of this name.
func (t *tally) operationMetrics(op string, millis int64) map[string]string {
	m := map[string]string{}
	put := func(key string, n int64) { m[key] = strconv.FormatInt(n, 10) }
	switch op {
	case "DELETE", "UPDATE":
		put("numRemovedFiles", int64(t.FilesRemoved))
		put("numRemovedBytes", t.BytesRemoved)
		put("numAddedFiles", int64(t.FilesAdded))
		put("numAddedBytes", t.BytesAdded)
		put("numCopiedRows", t.Copied)
		put("numAddedChangeFiles", 0)
		put("executionTimeMs", millis)
		t.vectors("num", put)
		if op == "DELETE" {
			put("numDeletedRows", t.Deleted)
		} else {
			put("numUpdatedRows", t.Updated)
		}
	case "MERGE":
		put("numTargetRowsInserted", t.Inserted)
		put("numTargetRowsUpdated", t.Updated)
		put("numTargetRowsDeleted", t.Deleted)
		put("numTargetRowsCopied", t.Copied)
		put("numOutputRows", t.Inserted+t.Updated+t.Copied)
		put("numTargetFilesAdded", int64(t.FilesAdded))
		put("numTargetFilesRemoved", int64(t.FilesRemoved))
		put("numTargetBytesAdded", t.BytesAdded)
		put("numTargetBytesRemoved", t.BytesRemoved)
		put("numTargetChangeFilesAdded", 0)
		put("executionTimeMs", millis)
		t.vectors("numTarget", put)
	case "TRUNCATE":
		put("numRemovedFiles", int64(t.FilesRemoved))
		put("executionTimeMs", millis)
	default:
		t.writeMetrics(op, put)
	}
	return m
}

func (t *tally) vectors(prefix string, put func(string, int64)) {
	put(prefix+"DeletionVectorsAdded", int64(t.VectorsAdded))
	put(prefix+"DeletionVectorsUpdated", int64(t.updatedVectors))
	put(prefix+"DeletionVectorsRemoved", int64(t.VectorsRemoved))
}

// writeMetrics are those of writes: they change files or come from a query.
func (t *tally) writeMetrics(op string, put func(string, int64)) {
	if op != "WRITE" && !strings.HasSuffix(op, "AS SELECT") && op != "STREAMING UPDATE" {
		return
	}
	put("numFiles", int64(t.FilesAdded))
	put("numOutputRows", t.Inserted+t.Copied)
	put("numOutputBytes", t.BytesAdded)
	if t.removes {
		put("numRemovedFiles", int64(t.FilesRemoved))
		put("numRemovedBytes", t.BytesRemoved)
	}
	if t.rewrites {
		put("numCopiedRows", t.Copied)
		put("numDeletedRows", t.Deleted)
		put("numAddedChangeFiles", 0)
	}
}

// add counts m in.
func (t *tally) add(m lake.Metrics) {
	t.Inserted += m.Inserted
	t.Updated += m.Updated
	t.Deleted += m.Deleted
	t.Copied += m.Copied
	t.FilesAdded += m.FilesAdded
	t.FilesRemoved += m.FilesRemoved
	t.BytesAdded += m.BytesAdded
	t.BytesRemoved += m.BytesRemoved
	t.VectorsAdded += m.VectorsAdded
	t.VectorsRemoved += m.VectorsRemoved
}

// encodeParameters is the JSON object of operationParameters, in the order given.
func encodeParameters(ps []lake.Parameter) (jsontext.Value, error) {
	var b bytes.Buffer
	e := jsontext.NewEncoder(&b)
	if err := e.WriteToken(jsontext.BeginObject); err != nil {
		return nil, err
	}
	for _, p := range ps {
		if err := e.WriteToken(jsontext.String(p.Key)); err != nil {
			return nil, err
		}
		if err := json.MarshalEncode(e, p.Value, json.Deterministic(true)); err != nil {
			return nil, err
		}
	}
	if err := e.WriteToken(jsontext.EndObject); err != nil {
		return nil, err
	}
	return bytes.TrimSpace(b.Bytes()), nil
}

// engineInfo names tarn and its version in the history.
func engineInfo() string {
	version := "devel"
	if info, ok := debug.ReadBuildInfo(); ok && info.Main.Version != "" {
		version = strings.Trim(info.Main.Version, "()")
	}
	return "tarn/" + version
}

// withMetrics is the metrics of an operation: what the statement says overrides what was counted.
func withMetrics(counted, said map[string]string) map[string]string {
	maps.Copy(counted, said)
	return counted
}
