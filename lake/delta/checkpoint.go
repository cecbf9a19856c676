package delta

import (
	"context"
	"path"

	"github.com/tarn-lake/tarn/storage"
)

// applyCheckpoint applies the actions of one file of a checkpoint, and of the sidecars that it names.
func (t *Table) applyCheckpoint(ctx context.Context, state *State, f logFile) error {
	var sidecars []*SidecarRef
	apply := func(a Action) error {
		switch a := a.(type) {
		case *SidecarRef:
			sidecars = append(sidecars, a)
		case *CommitInfo, *CDC: // not allowed here, and nothing to a state
		default:
			return state.Apply(a)
		}
		return nil
	}
	read := t.eachCheckpointRow
	if f.json {
		read = t.eachAction
	}
	if err := read(ctx, f.Name, apply); err != nil {
		return err
	}
	for _, ref := range sidecars {
		name, err := sidecarName(ref.Path)
		if err != nil {
			return t.corrupt(f.Name, err)
		}
		if err := t.eachCheckpointRow(ctx, name, state.Apply); err != nil {
			return err
		}
	}
	return nil
}

// sidecarName is the name in the table of a sidecar. It always lies in the folder of sidecars, whatever folder a path
// names beside it (P §Sidecar File Information).
func sidecarName(ref string) (string, error) {
	key, err := PathKey(ref)
	if err != nil {
		return "", err
	}
	name := sidecarDir + "/" + path.Base(key)
	return name, storage.CheckName(name)
}
