package hudi

import (
	"context"
	"fmt"
	"strings"

	"github.com/tarn-lake/tarn/lake/hudi/timeline"
)

// settings are the options of a call, over the settings in the table's properties, over its options in the catalog: so Hudi has it for
// TBLPROPERTIES and OPTIONS.
func (t *Table) settings(more map[string]string) options {
	all := map[string]string{}
	for _, given := range []map[string]string{t.entry.Options, WriterSettings(t.config.Properties), more} {
		for k, v := range given {
			all[strings.ToLower(k)] = v
		}
	}
	return newOptions(all)
}

// parseOptions reads key=value, key=value.
func parseOptions(text string) (map[string]string, error) {
	out := map[string]string{}
	for entry := range strings.SplitSeq(text, ",") {
		if strings.TrimSpace(entry) == "" {
			continue
		}
		k, v, ok := strings.Cut(entry, "=")
		if !ok {
			return nil, fmt.Errorf("%q is not of the form key=value", strings.TrimSpace(entry))
		}
		out[strings.ToLower(strings.TrimSpace(k))] = strings.TrimSpace(v)
	}
	return out, nil
}

// locked runs do under the lock of the table, with the timeline as it is then.
func (t *Table) locked(ctx context.Context, o options, do func(*timeline.Timeline) error) error {
	lock, err := t.lock(ctx, o)
	if err != nil {
		return err
	}
	defer lock.unlock(ctx)
	line, err := t.timeline(ctx)
	if err != nil {
		return err
	}
	line.Guard = lock.check
	return do(line)
}
