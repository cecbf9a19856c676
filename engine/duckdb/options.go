package duckdb

import (
	"fmt"
	"os"
	"runtime"
)

// Options are the limits of an engine. The zero value is useful.
type Options struct {
	// Memory is the most that the engine should use, in bytes; 0 is 1 GiB. DuckDB is told less: its buffers
	// are not all that it allocates, and rows pass through Go.
	Memory int64
	// Threads is the number of worker threads; 0 is one per processor.
	Threads int
	// Spill is a directory for rows that do not fit in memory and for files on their way to a store that
	// DuckDB cannot write to. Empty is a new one among the system's temporary files. What the engine puts
	// there is gone after Close.
	Spill string
	// SpillQuota is how many bytes rows that do not fit in memory may take in Spill; 0 is 100 GiB.
	SpillQuota int64
}

// overhead is how much more than its memory_limit DuckDB was seen to use, resident.
const overhead = 1.7

func (o Options) withDefaults() Options {
	if o.Memory == 0 {
		o.Memory = 1 << 30
	}
	if o.Threads == 0 {
		o.Threads = runtime.GOMAXPROCS(0)
	}
	if o.SpillQuota == 0 {
		o.SpillQuota = 100 << 30
	}
	return o
}

// limits are those of an instance that may touch roots. Each instance spills into a folder of its own.
func (o Options) limits(spill string, roots []string) (limits, error) {
	own, err := os.MkdirTemp(spill, "instance-")
	if err != nil {
		return limits{}, fmt.Errorf("duckdb: spill directory: %w", err)
	}
	return limits{
		threads: o.Threads,
		memory:  int64(float64(o.Memory) / overhead),
		spill:   own,
		quota:   o.SpillQuota,
		roots:   append([]string{spill}, roots...),
	}, nil
}
