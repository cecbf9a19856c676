package hudi

import (
	"maps"
	"os"
	"path/filepath"
	"testing"
)

func TestDefaults(t *testing.T) {
	dir := t.TempDir()
	t.Setenv("HUDI_CONF_DIR", dir)
	if got, err := readDefaults(); err != nil || len(got) > 0 {
		t.Errorf("without a file: %v, %v", got, err)
	}
	text := "# a comment\n\nhoodie.a        tmp db\r\nhoodie.b= mor\nhoodie.c\tx\nspark.other=1\nhoodie.alone\n=\n"
	if err := os.WriteFile(filepath.Join(dir, "hudi-defaults.conf"), []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	want := map[string]string{"hoodie.a": "tmp db", "hoodie.b": "mor", "hoodie.c": "x"}
	if got, err := readDefaults(); err != nil || !maps.Equal(got, want) {
		t.Errorf("got %v, %v, want %v", got, err, want)
	}
}
