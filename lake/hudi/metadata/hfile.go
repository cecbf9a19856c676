package metadata

import (
	"bytes"
	"errors"
	"io"
	"iter"

	"github.com/tarn-lake/tarn/internal/hfile"
)

// openTable opens an HFile of records and a decoder of them.
func openTable(r io.ReaderAt, size int64) (*hfile.Reader, *decoder, error) {
	h, err := hfile.Open(r, size)
	if err != nil {
		return nil, nil, err
	}
	schema, ok := h.Info("schema")
	if !ok {
		return nil, nil, errors.New("an HFile without schema")
	}
	d, err := newDecoder(string(schema))
	return h, d, err
}

// find calls visit for the cells of an HFile that a query asks for, by rising keys.
func find(h *hfile.Reader, q query, visit func(key string, value []byte) error) error {
	if q.keys == nil {
		return each(h.Prefix([]byte(q.prefix)), visit)
	}
	// Of many keys in few cells it is cheaper to pass by them all.
	if int64(len(q.keys)) > h.Len()/8 {
		next := 0
		return each(h.All(), func(key string, value []byte) error {
			for next < len(q.keys) && q.keys[next] < key {
				next++
			}
			if next == len(q.keys) || q.keys[next] != key {
				return nil
			}
			return visit(key, value)
		})
	}
	for _, k := range q.keys {
		v, ok, err := h.Get([]byte(k))
		if err == nil && ok {
			err = visit(k, v)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

func each(it *hfile.Iterator, visit func(key string, value []byte) error) error {
	for it.Next() {
		if err := visit(string(it.Key()), it.Value()); err != nil {
			return err
		}
	}
	return it.Err()
}

// encodeTable makes an HFile of sorted cells, as a block of a log.
func encodeTable(schema string, cells iter.Seq2[cell, error]) ([]byte, error) {
	var b bytes.Buffer
	w := hfile.NewWriter(&b, tableOptions)
	w.Info("schema", []byte(schema))
	for c, err := range cells {
		if err == nil {
			err = w.Append([]byte(c.key), c.value)
		}
		if err != nil {
			return nil, err
		}
	}
	if err := w.Close(); err != nil {
		return nil, err
	}
	return b.Bytes(), nil
}

// Small blocks make looking up single keys cheap.
var tableOptions = hfile.Options{BlockSize: 16 << 10}

// A cell is a key with its encoded record.
type cell struct {
	key   string
	value []byte
}
