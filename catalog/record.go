package catalog

import (
	"fmt"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/tarn-lake/tarn/lake"
	"github.com/tarn-lake/tarn/types"
)

// meta is the JSON of a lake.Meta.
type meta struct {
	ID          string            `json:"id,omitempty"`
	Name        string            `json:"name,omitempty"`
	Description string            `json:"description,omitempty"`
	Schema      jsontext.Value    `json:"schema,omitempty"`
	Partition   []string          `json:"partition,omitempty"`
	Cluster     []string          `json:"cluster,omitempty"`
	Properties  map[string]string `json:"properties,omitempty"`
	Created     int64             `json:"created,omitempty"` // microseconds since 1970
	Protocol    *lake.Protocol    `json:"protocol,omitempty"`
}

// encodeMeta is the text of m; nil of nil.
func encodeMeta(m *lake.Meta) (any, error) {
	if m == nil {
		return nil, nil
	}
	schema, err := types.EncodeJSON(m.Schema)
	if err != nil {
		return nil, err
	}
	out := meta{ID: m.ID, Name: m.Name, Description: m.Description, Schema: schema, Partition: m.Partition,
		Cluster: m.Cluster, Properties: m.Properties, Created: micros(m.Created)}
	if m.Protocol.Reader != 0 || m.Protocol.Writer != 0 {
		out.Protocol = &m.Protocol
	}
	b, err := json.Marshal(out, json.Deterministic(true))
	return string(b), err
}

func decodeMeta(text string) (*lake.Meta, error) {
	var in meta
	if err := json.Unmarshal([]byte(text), &in); err != nil {
		return nil, fmt.Errorf("the description of the table: %w", err)
	}
	schema, err := types.DecodeSchemaJSON(in.Schema)
	if err != nil {
		return nil, fmt.Errorf("the schema of the table: %w", err)
	}
	m := &lake.Meta{ID: in.ID, Name: in.Name, Description: in.Description, Schema: schema, Partition: in.Partition,
		Cluster: in.Cluster, Properties: in.Properties, Created: moment(in.Created)}
	if in.Protocol != nil {
		m.Protocol = *in.Protocol
	}
	return m, nil
}

func encodeMap(m map[string]string) (string, error) {
	if m == nil {
		m = map[string]string{}
	}
	b, err := json.Marshal(m, json.Deterministic(true))
	return string(b), err
}

// decodeMap is nil for no pairs.
func decodeMap(text string) (map[string]string, error) {
	var m map[string]string
	if err := json.Unmarshal([]byte(text), &m); err != nil {
		return nil, err
	}
	if len(m) == 0 {
		return nil, nil
	}
	return m, nil
}

// micros is 0 for the zero time.
func micros(t time.Time) int64 {
	if t.IsZero() {
		return 0
	}
	return t.UnixMicro()
}

func moment(micros int64) time.Time {
	if micros == 0 {
		return time.Time{}
	}
	return time.UnixMicro(micros).UTC()
}
