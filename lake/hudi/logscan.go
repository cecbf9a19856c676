package hudi

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/tarn-lake/tarn/lake/hudi/logfile"
	"github.com/tarn-lake/tarn/storage"
)

// logBlocks is the blocks of a slice's logs that count, in the order in which they apply.
type logBlocks struct {
	slice   *fileSlice
	blocks  []*logfile.Block
	partial bool // some block's records lack columns that keep their values
	files   []storage.File
}

// close closes the files. Blocks cannot be read afterwards.
func (l *logBlocks) close() {
	for _, f := range l.files {
		f.Close()
	}
	l.files = nil
}

// openLogs reads the headers of all blocks of a slice's logs.
func (s *Snapshot) openLogs(ctx context.Context, slice *fileSlice) (*logBlocks, error) {
	l := &logBlocks{slice: slice}
	var queue blockQueue
	for _, f := range slice.Logs {
		if err := s.openLog(ctx, l, f, &queue); err != nil {
			l.close()
			return nil, s.table.fail("read", f.Path, err)
		}
	}
	l.blocks = queue.live()
	for _, b := range l.blocks {
		l.partial = l.partial || b.Partial()
	}
	return l, nil
}

func (s *Snapshot) openLog(ctx context.Context, l *logBlocks, log logFile, queue *blockQueue) error {
	f, err := s.table.bucket.Open(ctx, log.Path)
	if err != nil {
		return err
	}
	l.files = append(l.files, f)
	info, err := f.Stat()
	if err != nil {
		return err
	}
	if info.Size < log.Size {
		return s.table.fail("read", log.Path, fmt.Errorf("the log file has %d bytes, where the table's metadata tells of %d: it is damaged, restore it from a copy", info.Size, log.Size))
	}
	size := info.Size
	if s.config.Version >= 8 { // what lies behind is of no write
		size = log.Size
	}
	r := logfile.NewReader(f, size)
	for {
		b, err := r.Next()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		if err := s.enqueue(queue, b); err != nil {
			return err
		}
	}
}

// enqueue adds a block to the queue if the snapshot sees it. Up to table version 6 a log has blocks of several writes, of which each
// must be committed; later the whole log is of one, which the slice has checked.
func (s *Snapshot) enqueue(queue *blockQueue, b *logfile.Block) error {
	switch {
	case b.Type == logfile.Corrupt:
		return nil
	case b.Type == logfile.Command:
		target, err := b.Rollback()
		queue.drop(target)
		return err
	case b.Type == logfile.CDCData:
		return fmt.Errorf("block at byte %d: change records among rows", b.Offset)
	case s.config.Version < 8 && !s.view.committed(b.Instant()):
		return nil
	}
	queue.add(b)
	return nil
}

// blockQueue holds blocks by the writes that made them, which come in the order of their first blocks.
type blockQueue struct {
	instants []string
	blocks   map[string][]*logfile.Block
}

func (q *blockQueue) add(b *logfile.Block) {
	if q.blocks == nil {
		q.blocks = map[string][]*logfile.Block{}
	}
	at := b.Instant()
	if len(q.blocks[at]) == 0 {
		q.instants = append(q.instants, at)
	}
	q.blocks[at] = append(q.blocks[at], b)
}

// drop removes the blocks of a write that was rolled back. Blocks that come after the rollback count.
func (q *blockQueue) drop(instant string) {
	if len(q.blocks[instant]) > 0 {
		delete(q.blocks, instant)
		q.instants = slices.DeleteFunc(q.instants, func(s string) bool { return s == instant })
	}
}

// live is the blocks in the order in which they apply. Blocks that a log compaction made stand where the last of the blocks stood that
// they replace.
func (q *blockQueue) live() []*logfile.Block {
	final := map[string]string{} // by instant: the log compaction that replaces its blocks
	taken := map[string]bool{}
	var groups [][]*logfile.Block // last first
	for _, at := range slices.Backward(q.instants) {
		blocks := q.blocks[at]
		if times := blocks[0].Header.Get(logfile.CompactedBlockTimes); times != "" {
			by := at
			if later, ok := final[at]; ok {
				by = later
			}
			for _, replaced := range strings.Split(times, ",") {
				final[replaced] = by
			}
			continue
		}
		if by, ok := final[at]; ok {
			at = by
		}
		if !taken[at] {
			taken[at] = true
			groups = append(groups, q.blocks[at])
		}
	}
	slices.Reverse(groups)
	return slices.Concat(groups...)
}
