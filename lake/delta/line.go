package delta

import (
	"bytes"
	"errors"
	"fmt"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/tarn-lake/tarn/types"
)

// Limits of a log file, which anybody may have written.
const (
	maxLine  = 64 << 20 // bytes
	maxDepth = 100      // of JSON
)

// line is the object that one line of a log file holds: one member, named after its action.
type line struct {
	Add                *Add                `json:"add,omitzero"`
	Remove             *Remove             `json:"remove,omitzero"`
	Metadata           *Metadata           `json:"metaData,omitzero"`
	Protocol           *Protocol           `json:"protocol,omitzero"`
	CommitInfo         *CommitInfo         `json:"commitInfo,omitzero"`
	Txn                *Txn                `json:"txn,omitzero"`
	DomainMetadata     *DomainMetadata     `json:"domainMetadata,omitzero"`
	CDC                *CDC                `json:"cdc,omitzero"`
	Sidecar            *SidecarRef         `json:"sidecar,omitzero"`
	CheckpointMetadata *CheckpointMetadata `json:"checkpointMetadata,omitzero"`
}

// EncodeAction is the line, without its end, that stands for a in a commit or a JSON checkpoint.
func EncodeAction(a Action) ([]byte, error) {
	var l line
	switch a := a.(type) {
	case *Add:
		l.Add = a
	case *Remove:
		l.Remove = a
	case *Metadata:
		l.Metadata = a
	case *Protocol:
		l.Protocol = a
	case *CommitInfo:
		l.CommitInfo = a
	case *Txn:
		l.Txn = a
	case *DomainMetadata:
		l.DomainMetadata = a
	case *CDC:
		l.CDC = a
	case *SidecarRef:
		l.Sidecar = a
	case *CheckpointMetadata:
		l.CheckpointMetadata = a
	}
	return json.Marshal(l, json.Deterministic(true))
}

// EncodeActions is a whole commit: one line for each action.
func EncodeActions(actions []Action) ([]byte, error) {
	var b bytes.Buffer
	for _, a := range actions {
		text, err := EncodeAction(a)
		if err != nil {
			return nil, err
		}
		b.Write(text)
		b.WriteByte('\n')
	}
	return b.Bytes(), nil
}

// DecodeAction reads one line. An action of an unknown kind, and an empty object, is nil. Text that is not strict JSON
// (a name twice, bad UTF-8), a known member of the wrong type, and an action that lacks what every reader needs are errors.
func DecodeAction(text []byte) (Action, error) {
	if len(text) > maxLine {
		return nil, fmt.Errorf("line of %d bytes, of which at most %d are allowed", len(text), maxLine)
	}
	if types.JSONDepth(text) > maxDepth {
		return nil, fmt.Errorf("JSON nested deeper than %d", maxDepth)
	}
	var l line
	if err := json.Unmarshal(text, &l); err != nil {
		return nil, err
	}
	return l.action()
}

// DecodeActions calls f for each action of a log file's text, passing over unknown ones and blank lines. The error says
// in which line, counted from 1, decoding or f failed.
func DecodeActions(text []byte, f func(Action) error) error {
	for n := 1; len(text) > 0; n++ {
		var one []byte
		one, text, _ = bytes.Cut(text, []byte{'\n'})
		if len(bytes.TrimSpace(one)) == 0 {
			continue
		}
		a, err := DecodeAction(one)
		if err == nil && a != nil {
			err = f(a)
		}
		if err != nil {
			return &LineError{n, err}
		}
	}
	return nil
}

// LineError is a fault in one line of a log file.
type LineError struct {
	Line int // from 1
	Err  error
}

func (e *LineError) Error() string { return fmt.Sprintf("line %d: %v", e.Line, e.Err) }
func (e *LineError) Unwrap() error { return e.Err }

// action is the one action in l, checked; nil when there is none.
func (l *line) action() (Action, error) {
	var found Action
	n := 0
	note := func(a Action, set bool) {
		if set {
			found = a
			n++
		}
	}
	note(l.Add, l.Add != nil)
	note(l.Remove, l.Remove != nil)
	note(l.Metadata, l.Metadata != nil)
	note(l.Protocol, l.Protocol != nil)
	note(l.CommitInfo, l.CommitInfo != nil)
	note(l.Txn, l.Txn != nil)
	note(l.DomainMetadata, l.DomainMetadata != nil)
	note(l.CDC, l.CDC != nil)
	note(l.Sidecar, l.Sidecar != nil)
	note(l.CheckpointMetadata, l.CheckpointMetadata != nil)
	if n > 1 {
		return nil, errors.New("several actions in one line")
	}
	if found == nil {
		return nil, nil
	}
	return found, check(found)
}

// check refuses an action without which its meaning would have to be guessed.
func check(a Action) error {
	switch a := a.(type) {
	case *Add:
		return first(need(a.Path != "", "add has no path"), need(a.Size >= 0, "add has a negative size"), checkVector(a.DeletionVector))
	case *Remove:
		return first(need(a.Path != "", "remove has no path"), checkVector(a.DeletionVector))
	case *Metadata:
		return first(need(a.ID != "", "metaData has no id"), need(a.SchemaString != "", "metaData has no schemaString"))
	case *Protocol:
		return need(a.MinReaderVersion > 0 && a.MinWriterVersion > 0, "protocol lacks minReaderVersion or minWriterVersion")
	case *Txn:
		return need(a.AppID != "", "txn has no appId")
	case *DomainMetadata:
		return need(a.Domain != "", "domainMetadata has no domain")
	case *SidecarRef:
		return first(need(a.Path != "", "sidecar has no path"), need(a.SizeInBytes >= 0, "sidecar has a negative size"))
	}
	return nil
}

func checkVector(d *DeletionVector) error {
	if d == nil {
		return nil
	}
	switch d.StorageType {
	case "u", "i", "p":
	default:
		return fmt.Errorf("deletion vector has the unknown storage type %q", d.StorageType)
	}
	return first(need(d.SizeInBytes >= 0 && d.Cardinality >= 0, "deletion vector has a negative size or cardinality"),
		need(d.Offset == nil || *d.Offset >= 0, "deletion vector has a negative offset"))
}

func need(ok bool, fault string) error {
	if ok {
		return nil
	}
	return errors.New(fault)
}

func first(errs ...error) error {
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}

// MarshalJSONTo writes the members in the order that Delta Spark has.
func (c *CommitInfo) MarshalJSONTo(enc *jsontext.Encoder) error {
	return json.MarshalEncode(enc, commitInfoJSON{
		c.Timestamp, c.InCommitTimestamp, c.UserID, c.UserName, c.Operation, c.OperationParameters, c.ReadVersion, c.IsolationLevel,
		c.IsBlindAppend, c.OperationMetrics, c.UserMetadata, c.EngineInfo, c.TxnID, c.Rest,
	}, json.Deterministic(true))
}

type commitInfoJSON struct {
	Timestamp           *int64                    `json:"timestamp,omitzero"`
	InCommitTimestamp   *int64                    `json:"inCommitTimestamp,omitzero"`
	UserID              string                    `json:"userId,omitzero"`
	UserName            string                    `json:"userName,omitzero"`
	Operation           string                    `json:"operation,omitzero"`
	OperationParameters jsontext.Value            `json:"operationParameters,omitzero"`
	ReadVersion         *int64                    `json:"readVersion,omitzero"`
	IsolationLevel      string                    `json:"isolationLevel,omitzero"`
	IsBlindAppend       *bool                     `json:"isBlindAppend,omitzero"`
	OperationMetrics    map[string]string         `json:"operationMetrics,omitzero"`
	UserMetadata        *string                   `json:"userMetadata,omitzero"`
	EngineInfo          string                    `json:"engineInfo,omitzero"`
	TxnID               string                    `json:"txnId,omitzero"`
	Rest                map[string]jsontext.Value `json:",embed"`
}

// UnmarshalJSONFrom reads any object: members of unexpected types go to Rest.
func (c *CommitInfo) UnmarshalJSONFrom(dec *jsontext.Decoder) error {
	var rest map[string]jsontext.Value
	if err := json.UnmarshalDecode(dec, &rest); err != nil {
		return err
	}
	take(rest, "timestamp", &c.Timestamp)
	take(rest, "inCommitTimestamp", &c.InCommitTimestamp)
	take(rest, "userId", &c.UserID)
	take(rest, "userName", &c.UserName)
	take(rest, "operation", &c.Operation)
	take(rest, "operationParameters", &c.OperationParameters)
	take(rest, "readVersion", &c.ReadVersion)
	take(rest, "isolationLevel", &c.IsolationLevel)
	take(rest, "isBlindAppend", &c.IsBlindAppend)
	take(rest, "operationMetrics", &c.OperationMetrics)
	if raw := rest["operationMetrics"]; raw.Kind() == '{' {
		c.OperationMetrics = texts(raw)
		delete(rest, "operationMetrics")
	}
	take(rest, "userMetadata", &c.UserMetadata)
	take(rest, "engineInfo", &c.EngineInfo)
	take(rest, "txnId", &c.TxnID)
	if len(rest) > 0 {
		c.Rest = rest
	}
	return nil
}

// take moves one member out of rest if it has the type of to.
func take[T any](rest map[string]jsontext.Value, name string, to *T) {
	var v T
	if raw, ok := rest[name]; ok && json.Unmarshal(raw, &v) == nil {
		*to = v
		delete(rest, name)
	}
}

// texts are the members of an object as text: delta-rs writes metrics as numbers.
func texts(object jsontext.Value) map[string]string {
	var raw map[string]jsontext.Value
	if json.Unmarshal(object, &raw) != nil {
		return nil
	}
	out := make(map[string]string, len(raw))
	for k, v := range raw {
		var text string
		if json.Unmarshal(v, &text) != nil {
			text = string(v)
		}
		out[k] = text
	}
	return out
}
