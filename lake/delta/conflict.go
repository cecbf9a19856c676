package delta

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/tarn-lake/tarn/lake"
	"github.com/tarn-lake/tarn/types"
)

// attempt is what the rules of conflicts need to know of a transaction that wants to commit.
type attempt struct {
	table       string                     // as shown to users
	create      bool                       // it makes the table
	read        func(*Add) bool            // might the file hold rows that it read, or would have read
	file        func(path string) *Add     // the file of that decoded path in the snapshot it read; nil when there is none
	removes     map[string]bool            // decoded paths of the files whose rows it changes
	protocol    bool                       // it changes the protocol
	metadata    bool                       // it changes the metadata
	before      *Metadata                  // of the snapshot
	domains     []string                   // domains whose metadata it sets
	apps        []string                   // applications whose transaction versions it read
	partition   func(a *Add) (hint string) // a file's partition for people; "" when the table has none
	understands func(*Protocol) error      // can tarn write a table with the protocol
}

// commit is a commit that was made since an attempt's snapshot.
type winner struct {
	version int64
	actions []Action
}

// check says whether the attempt can still be made after w, in the order of Delta's own rules: protocol, metadata,
// domains, transactions, rows that were added, rows that were removed. All of w's added files count, so that what is
// committed is serializable in the order of the log. An attempt that read nothing passes the last three.
func (a *attempt) check(w winner) error {
	for _, rule := range []func(winner) error{a.checkProtocol, a.checkMetadata, a.checkDomains, a.checkTxns, a.checkAdds, a.checkRemoves} {
		if err := rule(w); err != nil {
			return err
		}
	}
	return nil
}

// conflict is the error that w prevents the attempt.
func (a *attempt) conflict(w winner, class, reason string) *lake.ConflictError {
	op := "unknown operation"
	for _, x := range w.actions {
		if info, ok := x.(*CommitInfo); ok && info.Operation != "" {
			op = info.Operation
		}
	}
	return &lake.ConflictError{Class: class, Table: a.table, Version: w.version, Winner: op, Reason: reason,
		Params: map[string]string{"operation": op, "tableName": a.table, "version": fmt.Sprint(w.version)}}
}

// hinted is a conflict over a file; its class says whether the partition is known.
func (a *attempt) hinted(w winner, class, reason string, file *Add) error {
	hint := a.partition(file)
	if hint == "" {
		return a.conflict(w, class+".WITHOUT_HINT", reason)
	}
	err := a.conflict(w, class+".WITH_PARTITION_HINT", reason+" in the partition "+hint)
	err.Params["partitionValues"] = hint
	return err
}

func (a *attempt) checkProtocol(w winner) error {
	if a.create {
		return a.conflict(w, "DELTA_PROTOCOL_CHANGED", "it created the table first")
	}
	for _, x := range w.actions {
		p, ok := x.(*Protocol)
		if !ok {
			continue
		}
		if a.protocol {
			return a.conflict(w, "DELTA_PROTOCOL_CHANGED", "both change the protocol")
		}
		if a.understands(p) != nil {
			return a.conflict(w, "DELTA_PROTOCOL_CHANGED", "it upgraded the protocol to one that tarn cannot write")
		}
	}
	return nil
}

func (a *attempt) checkMetadata(w winner) error {
	for _, x := range w.actions {
		if m, ok := x.(*Metadata); ok && (a.metadata || !harmless(a.before, m)) {
			return a.conflict(w, "DELTA_METADATA_CHANGED", "it changed the schema or the properties")
		}
	}
	return nil
}

// harmlessProperties may be set by a winner without changing what files a concurrent writer should have written, or rows
// it should have seen.
var harmlessProperties = map[string]func(old, new string) bool{
	"delta.enableDeletionVectors":              turnedOn,
	"delta.checkpointPolicy":                   func(_, _ string) bool { return true },
	"delta.enableInCommitTimestamps":           turnedOn,
	"delta.inCommitTimestampEnablementVersion": func(_, _ string) bool { return true },
	"delta.inCommitTimestampEnablementTimestamp": func(_, _ string) bool {
		return true
	},
	mappingModeKey: func(old, new string) bool { return (old == "" || old == "none") && new == "name" },
	maxColumnKey:   func(_, _ string) bool { return true },
}

func turnedOn(_, new string) bool { return strings.EqualFold(new, "true") }

// harmless reports whether files written and rows read under the metadata old are right under the new one.
func harmless(old, new *Metadata) bool {
	if old.ID != new.ID || old.Name != new.Name || old.Description != new.Description ||
		old.Format.Provider != new.Format.Provider || !slices.Equal(old.PartitionColumns, new.PartitionColumns) {
		return false
	}
	keys := maps.Clone(old.Configuration)
	if keys == nil {
		keys = map[string]string{}
	}
	maps.Copy(keys, new.Configuration)
	for k := range keys {
		from, to := old.Configuration[k], new.Configuration[k]
		if allowed := harmlessProperties[k]; from != to && (allowed == nil || !allowed(from, to)) {
			return false
		}
	}
	return old.SchemaString == new.SchemaString || sameButMapping(old.SchemaString, new.SchemaString)
}

// sameButMapping reports whether two schemas differ in ids and physical names alone, the latter equal to the names.
func sameButMapping(old, new string) bool {
	a, err := types.DecodeSchemaJSON([]byte(old))
	if err != nil {
		return false
	}
	b, err := types.DecodeSchemaJSON([]byte(new))
	if err != nil {
		return false
	}
	return types.Same(a, withoutMapping(b).(types.Struct))
}

// withoutMapping is t without ids and without the physical names that say nothing.
func withoutMapping(t types.Type) types.Type {
	switch t := t.(type) {
	case types.Struct:
		out := types.Struct{Fields: slices.Clone(t.Fields)}
		for i := range out.Fields {
			f := &out.Fields[i]
			f.Type = withoutMapping(f.Type)
			f.Metadata = f.Metadata.Without(mappingIDKey)
			if name, _ := f.Metadata.Text(physicalNameKey); name == f.Name {
				f.Metadata = f.Metadata.Without(physicalNameKey)
			}
		}
		return out
	case types.Array:
		t.Elem = withoutMapping(t.Elem)
		return t
	case types.Map:
		t.Key, t.Value = withoutMapping(t.Key), withoutMapping(t.Value)
		return t
	}
	return t
}

func (a *attempt) checkDomains(w winner) error {
	for _, x := range w.actions {
		if d, ok := x.(*DomainMetadata); ok && slices.Contains(a.domains, d.Domain) {
			return a.conflict(w, "DELTA_METADATA_CHANGED", "both set the metadata of "+d.Domain)
		}
	}
	return nil
}

func (a *attempt) checkTxns(w winner) error {
	for _, x := range w.actions {
		if t, ok := x.(*Txn); ok && slices.Contains(a.apps, t.AppID) {
			return a.conflict(w, "DELTA_CONCURRENT_TRANSACTION", "it is a write of the same application "+t.AppID)
		}
	}
	return nil
}

func (a *attempt) checkAdds(w winner) error {
	for _, x := range w.actions {
		if f, ok := x.(*Add); ok && a.read(f) {
			return a.hinted(w, "DELTA_CONCURRENT_APPEND", "it added rows that this transaction should have read", f)
		}
	}
	return nil
}

// checkRemoves first looks at all removed files for reads, then for files that both remove.
func (a *attempt) checkRemoves(w winner) error {
	var both *Add
	for _, x := range w.actions {
		r, ok := x.(*Remove)
		if !ok {
			continue
		}
		path, err := PathKey(r.Path)
		if err != nil {
			return err
		}
		f := a.file(path)
		if f == nil {
			continue
		}
		if a.read(f) {
			return a.hinted(w, "DELTA_CONCURRENT_DELETE_READ", "it deleted rows that this transaction read", f)
		}
		if a.removes[path] {
			both = f
		}
	}
	if both != nil {
		return a.hinted(w, "DELTA_CONCURRENT_DELETE_DELETE", "it deleted rows that this transaction deletes", both)
	}
	return nil
}
