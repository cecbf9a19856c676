package delta

import (
	"context"
	"fmt"
	"path"

	"github.com/google/uuid"

	"github.com/tarn-lake/tarn/internal/bitmap"
	"github.com/tarn-lake/tarn/lake"
	"github.com/tarn-lake/tarn/storage"
)

// vectorFile is the path, below the table, of the file that a vector of storage type u lies in: an optional folder, then
// the id of the file in Z85.
func vectorFile(encoded string) (string, error) {
	const idLength = 20
	if len(encoded) < idLength {
		return "", fmt.Errorf("deletion vector path %q is too short", encoded)
	}
	folder, text := encoded[:len(encoded)-idLength], encoded[len(encoded)-idLength:]
	raw, err := bitmap.DecodeZ85(text, 16)
	if err != nil {
		return "", err
	}
	id, err := uuid.FromBytes(raw)
	if err != nil {
		return "", err
	}
	return path.Join(folder, "deletion_vector_"+id.String()+".bin"), nil
}

// vector is the deleted rows of a's file; nil when it has none. It reads each vector once.
func (s *Snapshot) vector(ctx context.Context, a *Add) (*bitmap.Set, error) {
	if a.DeletionVector == nil {
		return nil, nil
	}
	id := a.DeletionVector.ID()
	s.vectors.Lock()
	set, ok := s.vectors.sets[id]
	s.vectors.Unlock()
	if ok {
		return set, nil
	}
	set, err := s.readVector(ctx, a)
	if err != nil {
		return nil, &lake.Error{Op: "read the deletion vector of", Path: s.table.path + "/" + a.Path, Err: err}
	}
	s.vectors.Lock()
	defer s.vectors.Unlock()
	put(&s.vectors.sets, id, set)
	return set, nil
}

func (s *Snapshot) readVector(ctx context.Context, a *Add) (*bitmap.Set, error) {
	d, rows := a.DeletionVector, s.rows(a)
	if d.StorageType == "i" {
		payload, err := bitmap.DecodeZ85(d.PathOrInlineDV, int(d.SizeInBytes))
		if err != nil {
			return nil, err
		}
		return bitmap.Decode(payload, d.Cardinality, rows)
	}
	bucket, name, err := s.vectorPlace(d)
	if err != nil {
		return nil, err
	}
	file, err := bucket.Open(ctx, name)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	info, err := file.Stat()
	if err != nil {
		return nil, err
	}
	var offset int32
	if d.Offset != nil {
		offset = *d.Offset
	}
	payload, err := bitmap.ReadFile(file, info.Size, offset, d.SizeInBytes)
	if err != nil {
		return nil, err
	}
	return bitmap.Decode(payload, d.Cardinality, rows)
}

// vectorPlace is where the file of a vector is.
func (s *Snapshot) vectorPlace(d *DeletionVector) (storage.Bucket, string, error) {
	if d.StorageType == "p" {
		key, err := PathKey(d.PathOrInlineDV)
		if err != nil {
			return nil, "", err
		}
		return s.table.place(key)
	}
	name, err := vectorFile(d.PathOrInlineDV)
	if err != nil {
		return nil, "", err
	}
	return s.table.bucket, name, storage.CheckName(name)
}
