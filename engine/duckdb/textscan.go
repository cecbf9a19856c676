package duckdb

import "github.com/tarn-lake/tarn/rel"

func (e *emitter) textScan(n *rel.Scan) (string, error) {
	return "", unsupported("reading %s", n.Format)
}
