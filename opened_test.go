package tarn

import (
	"context"
	"testing"
)

// Opened is a database that is closed when the test ends.
func Opened(t testing.TB, o Options) *DB {
	t.Helper()
	db, err := Open(context.Background(), o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { db.Close() })
	return db
}
