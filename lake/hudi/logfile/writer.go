package logfile

import (
	"encoding/binary"
	"io"
)

// Write writes one block. A log file is written once, whole; its blocks follow one another with nothing between.
func Write(w io.Writer, t Type, h Header, content []byte) error {
	head := []byte(magic)
	size := uint64(minLength + len(content))
	for _, e := range h {
		size += uint64(8 + len(e.Value))
	}
	head = binary.BigEndian.AppendUint64(head, size)
	head = binary.BigEndian.AppendUint32(head, formatVersion)
	head = binary.BigEndian.AppendUint32(head, uint32(t))
	head = binary.BigEndian.AppendUint32(head, uint32(len(h)))
	for _, e := range h {
		head = binary.BigEndian.AppendUint32(head, uint32(e.Key))
		head = binary.BigEndian.AppendUint32(head, uint32(len(e.Value)))
		head = append(head, e.Value...)
	}
	head = binary.BigEndian.AppendUint64(head, uint64(len(content)))
	tail := binary.BigEndian.AppendUint32(nil, 0)
	tail = binary.BigEndian.AppendUint64(tail, size+uint64(len(magic)))
	for _, part := range [][]byte{head, content, tail} {
		if _, err := w.Write(part); err != nil {
			return err
		}
	}
	return nil
}

// WriteRollback writes a block that makes all blocks of the instant target before it void. Tables up to version 6 have them.
func WriteRollback(w io.Writer, instant, target string) error {
	return Write(w, Command, Header{{CommandType, rollbackCommand}, {InstantTime, instant}, {TargetInstantTime, target}}, nil)
}
