package delta

import (
	"context"
	"encoding/binary"
	"hash/crc32"

	"github.com/RoaringBitmap/roaring/v2/roaring64"
	"github.com/google/uuid"

	"github.com/tarn-lake/tarn/storage"
)

// vectorMagic starts a bitmap in the portable layout (P §Deletion Vector Format).
const vectorMagic = 1681511377

// vectorPack is the content of a deletion vector file that holds the vectors of several data files:
//
//	version 1 | size (big endian) | magic, bitmaps (little endian) | CRC-32 (big endian) | size | …
type vectorPack struct {
	id   uuid.UUID
	data []byte
}

func newVectorPack() *vectorPack { return &vectorPack{uuid.New(), []byte{1}} }

// name is the pack's file, below the table's root.
func (p *vectorPack) name() string { return "deletion_vector_" + p.id.String() + ".bin" }

// add packs rows, which must not be empty, and gives the descriptor of their place.
func (p *vectorPack) add(rows *roaring64.Bitmap) (*DeletionVector, error) {
	rows.RunOptimize()
	bits, err := rows.ToPortableBytes()
	if err != nil {
		return nil, err
	}
	payload := append(binary.LittleEndian.AppendUint32(nil, vectorMagic), bits...)
	at := int32(len(p.data))
	p.data = binary.BigEndian.AppendUint32(p.data, uint32(len(payload)))
	p.data = append(p.data, payload...)
	p.data = binary.BigEndian.AppendUint32(p.data, crc32.ChecksumIEEE(payload))
	return &DeletionVector{
		StorageType:    "u",
		PathOrInlineDV: z85(p.id[:]),
		Offset:         &at,
		SizeInBytes:    int32(len(payload)),
		Cardinality:    int64(rows.GetCardinality()),
	}, nil
}

// write stores the pack in the table's folder.
func (p *vectorPack) write(ctx context.Context, b storage.Bucket) error {
	return storage.WriteFile(ctx, b, p.name(), storage.Exclusive, p.data)
}

// z85 is the text of data, whose length is a multiple of four, in base 85 with ZeroMQ's alphabet.
func z85(data []byte) string {
	const digits = "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ.-:+=^!/*?&<>()[]{}@%$#"
	var text []byte
	for ; len(data) >= 4; data = data[4:] {
		n := binary.BigEndian.Uint32(data)
		for place := uint32(85 * 85 * 85 * 85); place > 0; place /= 85 {
			text = append(text, digits[n/place%85])
		}
	}
	return string(text)
}
