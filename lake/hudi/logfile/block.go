package logfile

import (
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/tarn-lake/tarn/internal/bitmap"
)

// Type is the kind of a block, as stored.
type Type int32

// The types.
const (
	Command Type = iota
	DeleteKeys
	Corrupt // never stored: bytes between blocks that are none
	AvroData
	HFileData
	ParquetData
	CDCData
)

var typeNames = [...]string{"command", "delete", "corrupt", "Avro", "HFile", "Parquet", "CDC"}

func (t Type) String() string {
	if t >= 0 && int(t) < len(typeNames) {
		return typeNames[t]
	}
	return "unknown (" + strconv.Itoa(int(t)) + ")"
}

// Key is the key of a header entry, as stored.
type Key int32

// The keys.
const (
	InstantTime            Key = iota // of the write that made the block
	TargetInstantTime                 // of a rollback: the instant whose blocks are void
	Schema                            // Avro schema of the records
	CommandType                       // "0" is rollback
	CompactedBlockTimes               // of log compaction: instants whose blocks this one replaces, joined by commas
	RecordPositions                   // bitmap of the positions in the base file of the records' rows
	BlockIdentifier                   // attempt and number of the block
	IsPartial                         // "true": records lack columns that keep their values
	BaseInstantOfPositions            // of the base file that RecordPositions speak of
)

// Entry is one entry of a header.
type Entry struct {
	Key   Key
	Value string
}

// Header are the entries of a block's header, in the order in which they are stored.
type Header []Entry

// Get is the value of a key, "" where there is none.
func (h Header) Get(k Key) string {
	for _, e := range h {
		if e.Key == k {
			return e.Value
		}
	}
	return ""
}

// Block is one block of a log file. Its content is read when it is asked for.
type Block struct {
	Type    Type
	Header  Header
	Offset  int64 // of the magic in the file
	Size    int64 // of the whole block with its magic
	Content *io.SectionReader
}

// Instant is when the write that made the block began.
func (b *Block) Instant() string { return b.Header.Get(InstantTime) }

// Partial says whether records lack columns that keep the values of older rows.
func (b *Block) Partial() bool { return strings.EqualFold(b.Header.Get(IsPartial), "true") }

// Rollback is the instant that the block makes void; "" when it is no rollback.
func (b *Block) Rollback() (string, error) {
	if b.Type != Command {
		return "", nil
	}
	if t := b.Header.Get(CommandType); t != rollbackCommand {
		return "", b.fail(fmt.Errorf("command %q is not known", t))
	}
	target := b.Header.Get(TargetInstantTime)
	if target == "" {
		return "", b.fail(errors.New("a rollback without a target"))
	}
	return target, nil
}

const rollbackCommand = "0"

// Positions are the rows of the base file of baseInstant that the records of the block belong to; nil when the block does not say.
func (b *Block) Positions(baseInstant string) (*bitmap.Set, error) {
	text := b.Header.Get(RecordPositions)
	if text == "" || b.Header.Get(BaseInstantOfPositions) != baseInstant {
		return nil, nil
	}
	raw, err := base64.StdEncoding.DecodeString(text)
	if err != nil {
		return nil, b.fail(fmt.Errorf("record positions: %w", err))
	}
	set, err := bitmap.DecodeBare(raw)
	if err != nil {
		return nil, b.fail(fmt.Errorf("record positions: %w", err))
	}
	return set, nil
}

// PositionsText is the value of RecordPositions for a set of rows.
func PositionsText(s *bitmap.Set) string { return base64.StdEncoding.EncodeToString(s.EncodeBare()) }

func (b *Block) fail(err error) error {
	return &Error{Offset: b.Offset, Type: b.Type, Err: err}
}

// bytes is the content, whole.
func (b *Block) bytes() ([]byte, error) {
	if b.Content.Size() > maxContent {
		return nil, b.fail(fmt.Errorf("content of %d bytes, of which at most %d are read", b.Content.Size(), int64(maxContent)))
	}
	out := make([]byte, b.Content.Size())
	if _, err := b.Content.ReadAt(out, 0); err != nil && !errors.Is(err, io.EOF) {
		return nil, b.fail(err)
	}
	return out, nil
}

// maxContent bounds the content that is read at once. Hudi's default block has 256 MiB.
const maxContent = 1 << 30

// Error is a block that cannot be used.
type Error struct {
	Offset int64 // of the block in its file
	Type   Type
	Err    error
}

func (e *Error) Error() string {
	return fmt.Sprintf("%v block at byte %d: %v", e.Type, e.Offset, e.Err)
}

func (e *Error) Unwrap() error { return e.Err }
