package corpus

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/tarn-lake/tarn/lake"
)

// historyRow is what DESCRIBE HISTORY of Spark says of a commit, without its time, which copying changes.
type historyRow struct {
	Version             int64       `json:"version"`
	Operation           string      `json:"operation"`
	OperationParameters [][]*string `json:"operationParameters"`
	ReadVersion         *int64      `json:"readVersion"`
	IsolationLevel      *string     `json:"isolationLevel"`
	IsBlindAppend       *bool       `json:"isBlindAppend"`
	OperationMetrics    [][]*string `json:"operationMetrics"`
	UserMetadata        *string     `json:"userMetadata"`
	EngineInfo          *string     `json:"engineInfo"`
}

func TestDeltaHistory(t *testing.T) {
	commits := 0
	for _, c := range deltaTables(t) {
		text, err := os.ReadFile(filepath.Join(c.expected, "history.jsonl"))
		if err != nil || unreadable[c.String()] != "" {
			continue
		}
		text = bytes.ReplaceAll(text, []byte("file:/TARN_ROOT"), []byte("file:"+filepath.Dir(filepath.Dir(c.dir))))
		t.Run(c.String(), func(t *testing.T) {
			var want, got []historyRow
			for lines := bufio.NewScanner(bytes.NewReader(text)); lines.Scan(); {
				var row historyRow
				if err := json.Unmarshal(lines.Bytes(), &row); err != nil {
					t.Fatal(err)
				}
				want = append(want, row)
			}
			for commit, err := range open(t, c).History(context.Background()) {
				if err != nil {
					t.Fatal(err)
				}
				got = append(got, rowOf(commit))
				commits++
			}
			if d := cmp.Diff(want, got); d != "" {
				t.Error(d)
			}
		})
	}
	t.Logf("%d commits", commits)
}

func rowOf(c lake.Commit) historyRow {
	row := historyRow{
		Version: c.Version, Operation: c.Operation.Name, ReadVersion: c.ReadVersion, IsolationLevel: textOrNil(c.Isolation), IsBlindAppend: c.BlindAppend,
		UserMetadata: textOrNil(c.Operation.UserMetadata), EngineInfo: textOrNil(c.Engine), OperationParameters: [][]*string{}, OperationMetrics: [][]*string{},
	}
	for _, p := range c.Operation.Parameters {
		pair := []*string{&p.Key, nil}
		if p.Value != nil {
			text := fmt.Sprint(p.Value)
			pair[1] = &text
		}
		row.OperationParameters = append(row.OperationParameters, pair)
	}
	for k, v := range c.Metrics {
		row.OperationMetrics = append(row.OperationMetrics, []*string{&k, &v})
	}
	for _, pairs := range [][][]*string{row.OperationParameters, row.OperationMetrics} {
		slices.SortFunc(pairs, func(a, b []*string) int { return bytes.Compare([]byte(*a[0]), []byte(*b[0])) })
	}
	return row
}

func textOrNil(s string) *string {
	if s == "" {
		return nil
	}
	return &s
}

func TestDeltaDetail(t *testing.T) {
	for _, c := range deltaTables(t) {
		text, err := os.ReadFile(filepath.Join(c.expected, "detail.json"))
		if err != nil || unreadable[c.String()] != "" {
			continue
		}
		t.Run(c.String(), func(t *testing.T) {
			var want struct {
				ID                string      `json:"id"`
				PartitionColumns  []string    `json:"partitionColumns"`
				ClusteringColumns []string    `json:"clusteringColumns"`
				NumFiles          int64       `json:"numFiles"`
				SizeInBytes       int64       `json:"sizeInBytes"`
				Properties        [][2]string `json:"properties"`
				MinReaderVersion  int         `json:"minReaderVersion"`
				MinWriterVersion  int         `json:"minWriterVersion"`
			}
			if err := json.Unmarshal(text, &want); err != nil {
				t.Fatal(err)
			}
			s, err := open(t, c).Snapshot(context.Background(), lake.At{})
			if err != nil {
				t.Fatal(err)
			}
			m, d := s.Meta(), s.Detail()
			if m.ID != want.ID || d.Files != want.NumFiles || d.Bytes != want.SizeInBytes || m.Protocol.Reader != want.MinReaderVersion || m.Protocol.Writer != want.MinWriterVersion {
				t.Errorf("got %+v %+v, want %+v", m, d, want)
			}
			if !slices.Equal(m.Partition, want.PartitionColumns) || !slices.Equal(m.Cluster, want.ClusteringColumns) {
				t.Errorf("partition %v, clustering %v, want %v and %v", m.Partition, m.Cluster, want.PartitionColumns, want.ClusteringColumns)
			}
			for _, p := range want.Properties {
				if m.Properties[p[0]] != p[1] {
					t.Errorf("property %s is %q, want %q", p[0], m.Properties[p[0]], p[1])
				}
			}
		})
	}
}
