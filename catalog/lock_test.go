package catalog

import (
	"context"
	"database/sql"
	"testing"
)

// Lock keeps all others from changing the catalog of dir until release, as another process's change does.
func Lock(t *testing.T, dir string) (release func()) {
	t.Helper()
	c, err := NewWarehouse(dir, nil)
	if err != nil {
		t.Fatal(err)
	}
	held, done := make(chan bool), make(chan bool)
	go func() {
		c.write(context.Background(), func(*sql.Tx) error { close(held); <-done; return nil })
		c.Close()
	}()
	<-held
	return func() { close(done) }
}
