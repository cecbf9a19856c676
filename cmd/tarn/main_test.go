package main

import (
	"errors"
	"flag"
	"os/exec"
	"strconv"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
)

var update = flag.Bool("update", false, "write what tarn prints into the scripts")

func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){"tarn": main})
}

// TestScript runs testdata/script. `exits N COMMAND` is exec for a command that must end with the exit code N.
func TestScript(t *testing.T) {
	testscript.Run(t, testscript.Params{
		Dir:           "testdata/script",
		UpdateScripts: *update,
		Setup: func(e *testscript.Env) error {
			e.Setenv("TZ", "UTC")
			e.Setenv("TMPDIR", e.WorkDir)
			return nil
		},
		Cmds: map[string]func(*testscript.TestScript, bool, []string){"exits": exits},
	})
}

func exits(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: exits N COMMAND")
	}
	want, err := strconv.Atoi(args[0])
	ts.Check(err)
	got := 0
	err = ts.Exec(args[1], args[2:]...)
	if failed := (*exec.ExitError)(nil); errors.As(err, &failed) {
		got = failed.ExitCode()
	} else {
		ts.Check(err)
	}
	if got != want {
		ts.Fatalf("exit code %d, want %d", got, want)
	}
}

func TestParseBytes(t *testing.T) {
	for text, want := range map[string]int64{
		"": 0, "1": 1, "512m": 512 << 20, "512 MB": 512 << 20, "2GiB": 2 << 30, "1.5g": 3 << 29, "3k": 3072, "1T": 1 << 40, "7b": 7,
	} {
		if got, err := parseBytes(text); err != nil || got != want {
			t.Errorf("%q is %d, %v", text, got, err)
		}
	}
	for _, text := range []string{"x", "-1", "0", "1e30g", "1gg", "MiB", "1 2"} {
		if got, err := parseBytes(text); err == nil {
			t.Errorf("%q is taken as %d", text, got)
		}
	}
}

func TestDuckVersion(t *testing.T) {
	for in, want := range map[string]string{"v0.10506.0": "1.5.6", "v0.3.3": "0.0.3", "odd": "odd"} {
		if got := duckVersion(in); got != want {
			t.Errorf("%s is %s, want %s", in, got, want)
		}
	}
}
