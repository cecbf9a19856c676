package hudi

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// confDir is where Hudi's releases look for hudi-defaults.conf when HUDI_CONF_DIR does not say.
const confDir = "/etc/hudi/conf"

// readDefaults are the settings of hudi-defaults.conf, which hold for all tables of a machine where nothing else is said.
func readDefaults() (map[string]string, error) {
	path := filepath.Join(cmp.Or(os.Getenv("HUDI_CONF_DIR"), confDir), "hudi-defaults.conf")
	text, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("read Hudi's default settings: %w", err)
	}
	return parseDefaults(string(text)), nil
}

// parseDefaults reads lines of a key and a value with = or blanks between them; # starts a comment. Only settings of Hudi count.
func parseDefaults(text string) map[string]string {
	out := map[string]string{}
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		i := strings.Index(line, "=")
		if i < 0 {
			i = strings.IndexAny(line, " \t")
		}
		if i <= 0 || line[0] == '#' {
			continue
		}
		if key := strings.ToLower(strings.TrimSpace(line[:i])); strings.HasPrefix(key, "hoodie.") {
			out[key] = strings.TrimSpace(line[i+1:])
		}
	}
	return out
}
