package duckdb

import "github.com/tarn-lake/tarn/rel"

// stream emits Go rows as a call of go_rows with the number they have while the statement runs.
func (e *emitter) stream(n *rel.Stream) (string, error) {
	e.streams = append(e.streams, n)
	return "", unsupported("a stream")
}
