package duckdb_test

import (
	"testing"

	"github.com/tarn-lake/tarn/engine"
	"github.com/tarn-lake/tarn/engine/duckdb"
	"github.com/tarn-lake/tarn/engine/enginetest"
)

func TestEngine(t *testing.T) {
	enginetest.Run(t, func(t *testing.T) engine.Engine {
		x, err := duckdb.Open(duckdb.Options{Memory: 512 << 20, Threads: 2, Spill: t.TempDir()})
		if err != nil {
			t.Fatal(err)
		}
		return x
	})
}
