package duckdb

import "github.com/tarn-lake/tarn/rel"

func (e *emitter) scan(*rel.Scan) (string, error) { return "", unsupported("a scan") }
