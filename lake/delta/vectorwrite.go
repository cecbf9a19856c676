package delta

import (
	"context"

	"github.com/google/uuid"

	"github.com/tarn-lake/tarn/internal/bitmap"
	"github.com/tarn-lake/tarn/storage"
)

// vectorPack is a file that holds the deletion vectors of several data files.
type vectorPack struct {
	id   uuid.UUID
	data []byte
}

func newVectorPack() *vectorPack { return &vectorPack{id: uuid.New()} }

// name is the pack's file, below the table's root (P §Derived Fields).
func (p *vectorPack) name() string { return "deletion_vector_" + p.id.String() + ".bin" }

// add packs rows, which must not be empty, and gives the descriptor of their place.
func (p *vectorPack) add(rows *bitmap.Set) *DeletionVector {
	payload := rows.Encode()
	var at int32
	p.data, at = bitmap.AppendFile(p.data, payload)
	return &DeletionVector{
		StorageType:    "u",
		PathOrInlineDV: bitmap.EncodeZ85(p.id[:]),
		Offset:         &at,
		SizeInBytes:    int32(len(payload)),
		Cardinality:    int64(rows.Len()),
	}
}

// write stores the pack in the table's folder.
func (p *vectorPack) write(ctx context.Context, b storage.Bucket) error {
	return storage.WriteFile(ctx, b, p.name(), storage.Exclusive, p.data)
}
