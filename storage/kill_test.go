package storage_test

import (
	"bufio"
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"os/exec"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/tarn-lake/tarn/storage"
)

// TestKilledWriters races processes for the versions of one log, and kills them
// at random. Each version has one winner, whole, and each acknowledged win is
// there.
func TestKilledWriters(t *testing.T) {
	if testing.Short() {
		t.Skip("runs processes for a second")
	}
	if dir := os.Getenv("TARN_TEST_WRITER"); dir != "" {
		writeVersions(t, dir)
		return
	}
	dir := t.TempDir()
	var mu sync.Mutex
	won := map[string]string{} // version to winner
	end := time.Now().Add(time.Second)
	var writers sync.WaitGroup
	for w := range 3 {
		writers.Go(func() {
			for life := 0; time.Now().Before(end); life++ {
				runWriter(t, dir, fmt.Sprintf("writer-%d-%d", w, life), func(version, writer string) {
					mu.Lock()
					defer mu.Unlock()
					if won[version] != "" {
						t.Errorf("%s and %s both won version %s", won[version], writer, version)
					}
					won[version] = writer
				})
			}
		})
	}
	writers.Wait()

	b := openLocal(t, dir)
	listed := 0
	for info, err := range b.List(t.Context(), "log", "") {
		if err != nil {
			t.Fatal(err)
		}
		data, err := storage.ReadFile(t.Context(), b, info.Name, 1<<20)
		if err != nil {
			t.Fatal(err)
		}
		version := strings.TrimPrefix(info.Name, "log/")
		writer, _, _ := strings.Cut(string(data), " ")
		if string(data) != versionContent(writer, version) {
			t.Errorf("version %s is torn: %d bytes, %.40q…", version, len(data), data)
		}
		if w := won[version]; w != "" && w != writer {
			t.Errorf("version %s was acknowledged to %s, but %s has it", version, w, writer)
		}
		delete(won, version)
		listed++
	}
	for version, writer := range won {
		t.Errorf("version %s, acknowledged to %s, is missing", version, writer)
	}
	if n, err := b.(storage.Sweeper).Sweep(t.Context(), "", time.Now().Add(time.Hour)); err != nil {
		t.Error(err)
	} else {
		t.Logf("%d versions; %d unfinished files left by kills", listed, n)
	}
}

// runWriter runs this test as another process and kills it some time later.
func runWriter(t *testing.T, dir, name string, win func(version, writer string)) {
	exe, err := os.Executable()
	if err != nil {
		t.Error(err)
		return
	}
	cmd := exec.CommandContext(t.Context(), exe, "-test.run=^TestKilledWriters$")
	cmd.Env = append(os.Environ(), "TARN_TEST_WRITER="+dir, "TARN_TEST_WRITER_NAME="+name)
	out, err := cmd.StdoutPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		t.Error(err)
		return
	}
	kill := time.AfterFunc(time.Duration(20+rand.IntN(150))*time.Millisecond, func() { cmd.Process.Kill() })
	defer kill.Stop()
	for lines := bufio.NewScanner(out); lines.Scan(); {
		if version, ok := strings.CutPrefix(lines.Text(), "won "); ok && strings.HasSuffix(version, ".") {
			win(strings.TrimSuffix(version, "."), name)
		}
	}
	cmd.Wait() // it was killed
}

func writeVersions(t *testing.T, dir string) {
	b, name := openLocal(t, dir), os.Getenv("TARN_TEST_WRITER_NAME")
	for i := 0; ; i++ {
		version := fmt.Sprintf("%06d", i)
		err := storage.WriteFile(t.Context(), b, "log/"+version, storage.Exclusive, []byte(versionContent(name, version)))
		if err == nil {
			fmt.Printf("won %s.\n", version)
		} else if !errors.Is(err, fs.ErrExist) {
			t.Fatal(err)
		}
	}
}

func versionContent(writer, version string) string {
	return strings.Repeat(writer+" "+version+" ", 1000)
}
