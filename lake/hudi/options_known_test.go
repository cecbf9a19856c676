package hudi

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// TestKnownOptions: every option that a release of Hudi has is in the table of options, and those that the table calls applied are those that
// the sources read.
func TestKnownOptions(t *testing.T) {
	text, err := os.ReadFile(filepath.Join("testdata", "options.txt"))
	if err != nil {
		t.Fatal(err)
	}
	listed := map[string]bool{}
	for line := range strings.Lines(string(text)) {
		key, _, _ := strings.Cut(line, " ")
		listed[strings.ToLower(key)] = true
		if _, known := knownOptions()[strings.ToLower(key)]; !known {
			t.Errorf("options.txt does not say what becomes of %s", key)
		}
	}
	if len(listed) < 700 {
		t.Fatalf("only %d options are listed", len(listed))
	}
	read := readOptions(t)
	for key, use := range knownOptions() {
		if !listed[key] && use.kind != "applied" {
			t.Errorf("Hudi has no option %s", key)
		}
		if (use.kind == "applied") != read(key) {
			t.Errorf("%s is %q, the sources read it: %v", key, use.kind, read(key))
		}
		if use.kind != "applied" && use.reason == "" {
			t.Errorf("%s: no reason", key)
		}
	}
}

// readOptions tells the options that are named in the sources of formats and statements, whole or, of some families, by what follows.
func readOptions(t *testing.T) func(string) bool {
	literal := regexp.MustCompile(`"([A-Za-z0-9_.]+)"`)
	words := map[string]bool{}
	for _, pattern := range []string{"*.go", "*/*.go", "../../*.go", "../../internal/plan/*.go"} {
		files, err := filepath.Glob(pattern)
		if err != nil || len(files) == 0 {
			t.Fatal(pattern, err)
		}
		for _, file := range files {
			if strings.HasSuffix(file, "_test.go") {
				continue
			}
			text, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			for _, m := range literal.FindAllStringSubmatch(string(text), -1) {
				words[strings.ToLower(m[1])] = true
			}
		}
	}
	return func(key string) bool {
		if words[key] {
			return true
		}
		for _, family := range []string{clusterStrategy, "hoodie.clean.", "hoodie.cleaner.", "hoodie.keygen.timebased.", "hoodie.deltastreamer.keygen.timebased."} {
			if rest, ok := strings.CutPrefix(key, family); ok && words[rest] && rest != "class" {
				return true
			}
		}
		return false
	}
}

func TestHeed(t *testing.T) {
	for _, c := range []struct{ key, value, warning, refusal string }{
		{"hoodie.upsert.shuffle.parallelism", "200", "", ""},
		{"hoodie.datasource.write.precombin.field", "ts", "Hudi has no option hoodie.datasource.write.precombin.field; hoodie.datasource.write.precombine.field may be meant", ""},
		{"hoodie.my.own.note", "x", "Hudi has no option hoodie.my.own.note", ""},
		{"own.note", "x", "", ""},
		{"hoodie.metrics.on", "true", "hoodie.metrics.on=true has no effect: ", ""},
		{"hoodie.metrics.on", "FALSE", "", ""},
		{"hoodie.datasource.hive_sync.enable", "false", "", ""},
		{"hoodie.datasource.hive_sync.enable", "true", "", "hoodie.datasource.hive_sync.enable=true is not supported. "},
		{"HOODIE.Precommit.Validators", "a.B", "", "hoodie.precommit.validators=a.B is not supported. "},
	} {
		warnings, err := newOptions(map[string]string{c.key: c.value}).heed()
		if text := strings.Join(warnings, "\n"); !strings.HasPrefix(text, c.warning) || (c.warning == "") != (text == "") {
			t.Errorf("%s=%s warns %q, want %q", c.key, c.value, text, c.warning)
		}
		if (c.refusal != "") != (err != nil) || err != nil && !strings.HasPrefix(err.Error(), c.refusal) {
			t.Errorf("%s=%s is refused by %v, want %q", c.key, c.value, err, c.refusal)
		}
	}
}
