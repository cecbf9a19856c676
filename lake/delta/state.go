package delta

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"
)

// FileKey is what a file of the table is known by: two actions with the same key are about the same thing
// (P §Action Reconciliation). Path is decoded and in one canonical form, see [PathKey].
type FileKey struct{ Path, VectorID string }

// Key is the key of a's file.
func (a *Add) Key() (FileKey, error) { return fileKey(a.Path, a.DeletionVector) }

// Key is the key of r's file.
func (r *Remove) Key() (FileKey, error) { return fileKey(r.Path, r.DeletionVector) }

func fileKey(path string, v *DeletionVector) (FileKey, error) {
	key, err := PathKey(path)
	return FileKey{key, v.ID()}, err
}

// State is a table after some actions. The zero value is a table before its first commit.
type State struct {
	Protocol   *Protocol
	Metadata   *Metadata
	Files      map[FileKey]*Add    // live
	Tombstones map[FileKey]*Remove // removed, and still within their retention when they come from a checkpoint
	Txns       map[string]*Txn     // by application: the latest, not the highest
	Domains    map[string]*DomainMetadata
	CommitInfo *CommitInfo // of the last commit that had one
}

// Apply brings s to the state after a. Actions come in the order of the log, those of a checkpoint first.
func (s *State) Apply(a Action) error {
	switch a := a.(type) {
	case *Add:
		key, err := a.Key()
		if err != nil {
			return err
		}
		delete(s.Tombstones, key)
		put(&s.Files, key, a)
	case *Remove:
		key, err := a.Key()
		if err != nil {
			return err
		}
		delete(s.Files, key)
		put(&s.Tombstones, key, a)
	case *Metadata:
		s.Metadata = a
	case *Protocol:
		s.Protocol = a
	case *Txn:
		put(&s.Txns, a.AppID, a)
	case *DomainMetadata:
		if a.Removed {
			delete(s.Domains, a.Domain)
		} else {
			put(&s.Domains, a.Domain, a)
		}
	case *CommitInfo:
		s.CommitInfo = a
	}
	return nil
}

func put[K comparable, V any](m *map[K]V, k K, v V) {
	if *m == nil {
		*m = map[K]V{}
	}
	(*m)[k] = v
}

// Clone is a copy of s that may be applied to without changing s.
func (s *State) Clone() *State {
	c := *s
	c.Files, c.Tombstones = maps.Clone(s.Files), maps.Clone(s.Tombstones)
	c.Txns, c.Domains = maps.Clone(s.Txns), maps.Clone(s.Domains)
	return &c
}

// Sorted is the live files in the order of their decoded paths. That one file is live with two deletion vectors is an
// error: its rows would be read twice.
func (s *State) Sorted() ([]*Add, error) {
	keys := slices.SortedFunc(maps.Keys(s.Files), func(a, b FileKey) int {
		return cmp.Or(strings.Compare(a.Path, b.Path), strings.Compare(a.VectorID, b.VectorID))
	})
	adds := make([]*Add, len(keys))
	for i, k := range keys {
		if i > 0 && keys[i-1].Path == k.Path {
			return nil, fmt.Errorf("file %s is in the table twice, with different deletion vectors", k.Path)
		}
		adds[i] = s.Files[k]
	}
	return adds, nil
}
