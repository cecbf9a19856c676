package metadata

import (
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"math"
	"strconv"
)

var errShort = errors.New("record is cut short or damaged")

// A decoder reads records of one schema.
type decoder struct {
	root *node
	text string
}

func newDecoder(schema string) (*decoder, error) {
	n, err := parseSchema(schema)
	if err != nil {
		return nil, err
	}
	return &decoder{n, schema}, nil
}

// decode reads the record of a key. No bytes are a tombstone.
func (d *decoder) decode(key string, b []byte) (rec *Record, err error) {
	rec = &Record{Key: key}
	if len(b) == 0 {
		return rec, nil
	}
	c := &cursor{b: b, budget: len(b) + 1000}
	c.record(d.root, func(name string, n *node) {
		switch name {
		case "type":
			rec.Kind = Kind(c.optionalInt(n))
		case "filesystemMetadata":
			c.optional(n, func(n *node) { rec.Files = c.files(n) })
		case "BloomFilterMetadata":
			c.optional(n, func(n *node) { rec.Bloom = c.bloom(n) })
		case "ColumnStatsMetadata":
			c.optional(n, func(n *node) { rec.Stats = c.stats(n) })
		case "recordIndexMetadata":
			c.optional(n, func(n *node) { rec.Location = c.location(n) })
		case "SecondaryIndexMetadata":
			c.optional(n, func(n *node) { rec.Secondary = c.secondary(n) })
		default:
			c.skip(n, 0)
		}
	})
	if c.bad {
		return nil, fmt.Errorf("key %q: %w", key, errShort)
	}
	return rec, nil
}

func (c *cursor) files(n *node) map[string]FileState {
	if n.kind != mapNode {
		c.bad = true
		return nil
	}
	out := map[string]FileState{}
	c.items(func() {
		name := string(c.bytes())
		var f FileState
		c.record(n.elem, func(field string, n *node) {
			switch field {
			case "size":
				f.Size = c.optionalInt(n)
			case "isDeleted":
				f.Deleted = c.flag(n)
			default:
				c.skip(n, 0)
			}
		})
		out[name] = f
	})
	return out
}

func (c *cursor) bloom(n *node) *Bloom {
	b := &Bloom{}
	c.record(n, func(field string, n *node) {
		switch field {
		case "type":
			b.Kind = c.text(n)
		case "timestamp":
			b.Instant = c.text(n)
		case "bloomFilter":
			b.Filter = []byte(c.text(n))
		case "isDeleted":
			b.Deleted = c.flag(n)
		default:
			c.skip(n, 0)
		}
	})
	return b
}

func (c *cursor) stats(n *node) *Stats {
	s := &Stats{}
	c.record(n, func(field string, n *node) {
		switch field {
		case "fileName":
			s.File = c.text(n)
		case "columnName":
			s.Column = c.text(n)
		case "minValue":
			s.Min = c.value(n)
		case "maxValue":
			s.Max = c.value(n)
		case "valueCount":
			s.Values = c.optionalInt(n)
		case "nullCount":
			s.Nulls = c.optionalInt(n)
		case "totalSize":
			s.Size = c.optionalInt(n)
		case "totalUncompressedSize":
			s.Uncompressed = c.optionalInt(n)
		case "isDeleted":
			s.Deleted = c.flag(n)
		case "isTightBound":
			s.Tight = c.flag(n)
		case "valueType":
			c.optional(n, func(n *node) { s.Type = c.valueType(n) })
		default:
			c.skip(n, 0)
		}
	})
	return s
}

func (c *cursor) valueType(n *node) (t ValueType) {
	c.record(n, func(field string, n *node) {
		switch field {
		case "typeOrdinal":
			t.Ordinal = int32(c.optionalInt(n))
		case "additionalInfo":
			t.Info = c.text(n)
		default:
			c.skip(n, 0)
		}
	})
	return t
}

// value reads a union of wrappers.
func (c *cursor) value(n *node) (v Value) {
	c.optional(n, func(n *node) {
		for i, name := range wrapperNames {
			if name == n.name {
				v.Wrapper = Wrapper(i)
			}
		}
		if n.kind != recordNode || v.Wrapper == ArrayWrapper || v.Wrapper == NoValue {
			v = Value{}
			c.skip(n, 0)
			return
		}
		c.record(n, func(_ string, n *node) {
			switch n.kind {
			case booleanNode:
				if c.flag(n) {
					v.Int = 1
				}
			case intNode:
				v.Int = c.long()
			case floatNode:
				v.Float = float64(math.Float32frombits(uint32(c.fixed(4))))
			case doubleNode:
				v.Float = math.Float64frombits(c.fixed(8))
			default:
				v.Bytes = c.text(n)
			}
		})
	})
	return v
}

func (c *cursor) location(n *node) *Location {
	l := &Location{Position: -1}
	var (
		high, low, index int64
		raw              string
		encoding         int64
	)
	c.record(n, func(field string, n *node) {
		switch field {
		case "partitionName":
			l.Partition = c.text(n)
		case "fileIdHighBits":
			high = c.optionalInt(n)
		case "fileIdLowBits":
			low = c.optionalInt(n)
		case "fileIndex":
			index = c.optionalInt(n)
		case "fileId":
			raw = c.text(n)
		case "instantTime":
			l.Instant = c.optionalInt(n)
		case "fileIdEncoding":
			encoding = c.optionalInt(n)
		case "position":
			l.Position = c.optionalInt(n)
		default:
			c.skip(n, 0)
		}
	})
	l.FileID = raw
	if encoding == 0 {
		l.FileID = uuidText(high, low)
		// An index of -1 says that the file id is a bare UUID.
		if index >= 0 {
			l.FileID += "-" + strconv.FormatInt(index, 10)
		}
	}
	return l
}

func (c *cursor) secondary(n *node) *Secondary {
	s := &Secondary{}
	c.record(n, func(field string, n *node) {
		if field == "isDeleted" {
			s.Deleted = c.flag(n)
			return
		}
		c.skip(n, 0)
	})
	return s
}

func uuidText(high, low int64) string {
	var b [16]byte
	binary.BigEndian.PutUint64(b[:], uint64(high))
	binary.BigEndian.PutUint64(b[8:], uint64(low))
	var s [36]byte
	hex.Encode(s[:8], b[:4])
	hex.Encode(s[9:13], b[4:6])
	hex.Encode(s[14:18], b[6:8])
	hex.Encode(s[19:23], b[8:10])
	hex.Encode(s[24:], b[10:])
	s[8], s[13], s[18], s[23] = '-', '-', '-', '-'
	return string(s[:])
}

// parseUUID is the halves of a file id that is a UUID in its usual spelling with, after a '-', a number.
func parseUUID(id string) (high, low int64, index int32, ok bool) {
	if len(id) < 38 || id[36] != '-' || id[8] != '-' || id[13] != '-' || id[18] != '-' || id[23] != '-' {
		return 0, 0, 0, false
	}
	b, err := hex.DecodeString(id[:8] + id[9:13] + id[14:18] + id[19:23] + id[24:36])
	n, err2 := strconv.ParseInt(id[37:], 10, 32)
	if err != nil || err2 != nil || n < 0 {
		return 0, 0, 0, false
	}
	high, low, index = int64(binary.BigEndian.Uint64(b)), int64(binary.BigEndian.Uint64(b[8:])), int32(n)
	return high, low, index, uuidText(high, low)+"-"+strconv.FormatInt(n, 10) == id
}
