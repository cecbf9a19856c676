package hudi

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"
	"time"

	"github.com/tarn-lake/tarn/lake"
	"github.com/tarn-lake/tarn/lake/hudi/config"
	"github.com/tarn-lake/tarn/lake/hudi/timeline"
	"github.com/tarn-lake/tarn/rel"
	"github.com/tarn-lake/tarn/storage"
	"github.com/tarn-lake/tarn/types"
)

// tableProcedures tell and change what kind of table it is.
func tableProcedures() []procedure {
	return []procedure{
		{"show_table_properties", "Shows hoodie.properties.", []lake.Param{tableParam(), pathParam(), limitParam(-1)}, columns("key", "value"), showTableProperties},
		{"truncate_table", "Takes all rows out of the table, or some partitions.",
			[]lake.Param{tableParam(), optional("partitions", types.String, nil, "paths of partitions, joined by commas; all rows where not given")},
			columns("result", "time_cost bigint"), truncateTable},
		{"run_ttl", "Takes partitions out of the table that are older than some days.",
			[]lake.Param{tableParam(), optional("ttl_policy", types.String, nil, "KEEP_BY_TIME, since the last commit in the partition, which is the default, or KEEP_BY_CREATION_TIME"),
				optional("retain_days", types.Int, nil, "how long partitions stay; without it, or 0, all do"), optional("options", types.String, nil, "settings of this call: key=value, key=value")},
			columns("deleted_partitions"), runTTL},
	}
}

func showTableProperties(_ context.Context, c *call) ([][]types.Value, error) {
	var rows [][]types.Value
	for _, k := range slices.Sorted(maps.Keys(c.config.Properties)) {
		rows = append(rows, []types.Value{k, c.config.Properties[k]})
	}
	return rows, nil
}

// truncateTable gives no rows, as Hudi's does. It is a commit, and time travel reads what was there before.
func truncateTable(ctx context.Context, c *call) ([][]types.Value, error) {
	if list := c.text("partitions"); list != "" {
		return nil, c.dropPartitions(ctx, list)
	}
	x, err := c.Begin(ctx, c.engine)
	if err != nil {
		return nil, err
	}
	if _, err := x.Apply(ctx, lake.Overwrite{Rows: &rel.Values{}, Options: c.settings(nil).all}); err != nil {
		return nil, errors.Join(err, x.Rollback())
	}
	_, err = x.Commit(ctx, lake.Operation{Name: "TRUNCATE"})
	return nil, err
}

// Settings of run_ttl.
const (
	ttlPolicy = "hoodie.partition.ttl.strategy.type"
	ttlDays   = "hoodie.partition.ttl.strategy.days.retain"
)

// runTTL drops the partitions whose time is over.
func runTTL(ctx context.Context, c *call) ([][]types.Value, error) {
	o, err := c.more(map[string]string{"ttl_policy": ttlPolicy, "retain_days": ttlDays})
	if err != nil {
		return nil, err
	}
	policy, days := o.text("KEEP_BY_TIME", ttlPolicy), o.number(ttlDays, 0)
	if err := o.err(); err != nil {
		return nil, err
	}
	if policy != "KEEP_BY_TIME" && policy != "KEEP_BY_CREATION_TIME" {
		return nil, c.refuse("", "the policy %q is not one of KEEP_BY_TIME and KEEP_BY_CREATION_TIME", policy)
	}
	s, err := c.snapshot(ctx, "", reading{}, o.all)
	if err != nil || days == 0 {
		return nil, err
	}
	since := s.lastCommits()
	if policy == "KEEP_BY_CREATION_TIME" {
		if since, err = s.creations(ctx); err != nil {
			return nil, err
		}
	}
	over := timeline.FormatTime(time.Now().Add(-time.Duration(days)*24*time.Hour), c.zone())
	var old []string
	var rows [][]types.Value
	for _, p := range slices.Sorted(maps.Keys(since)) {
		if p != "" && since[p] < over {
			if strings.ContainsAny(p, ",*") {
				return nil, c.refuse("DELETE FROM … WHERE takes its rows out.", "the path of the partition %s means others too where partitions are dropped", p)
			}
			old, rows = append(old, p), append(rows, []types.Value{p})
		}
	}
	if old == nil {
		return nil, nil
	}
	return rows, c.dropPartitions(ctx, strings.Join(old, ","))
}

// lastCommits are the newest instants that wrote files of each partition.
func (s *Snapshot) lastCommits() map[string]string {
	out := map[string]string{}
	for _, slice := range s.slices {
		last := max(out[slice.Partition], slice.Instant())
		for _, l := range slice.Logs {
			last = max(last, l.Instant)
		}
		out[slice.Partition] = last
	}
	return out
}

// creations are the instants that made each partition, as the partitions' metadata tells. A partition without any has none.
func (s *Snapshot) creations(ctx context.Context) (map[string]string, error) {
	out := map[string]string{}
	for _, p := range s.Partitions() {
		file := path.Join(p, partitionMetadata)
		text, err := storage.ReadFile(ctx, s.table.bucket, file, 1<<16)
		if err != nil {
			return nil, s.table.fail("read", file, err)
		}
		properties, err := config.Parse(text)
		if err != nil || properties["commitTime"] == "" {
			return nil, s.table.fail("read", file, errors.Join(fmt.Errorf("it does not tell when the partition was made"), err))
		}
		out[p] = properties["commitTime"]
	}
	return out, nil
}
