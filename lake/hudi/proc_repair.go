package hudi

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"path/filepath"
	"slices"

	"github.com/tarn-lake/tarn/lake"
	"github.com/tarn-lake/tarn/lake/hudi/config"
	"github.com/tarn-lake/tarn/lake/hudi/timeline"
	"github.com/tarn-lake/tarn/storage"
	"github.com/tarn-lake/tarn/types"
)

// overwriteProperties is the procedure for tables whose hoodie.properties have a wrong checksum.
const overwriteProperties = "repair_overwrite_hoodie_props"

// repairProcedures mend tables, and bring them to other versions.
func repairProcedures() []procedure {
	result := columns("result boolean")
	return []procedure{
		{"repair_add_partition_meta", "Gives partitions without .hoodie_partition_metadata one.",
			[]lake.Param{tableParam(), optional("dry_run", types.Boolean, true, "only tell")}, columns("partition_path", "metadata_is_present", "action"), repairPartitions},
		{overwriteProperties, "Writes hoodie.properties anew, with properties of a file over the former ones.",
			[]lake.Param{tableParam(), required("new_props_file_path", "a local file of properties")}, columns("property", "old_value", "new_value"), repairProperties},
		{"repair_corrupted_clean_files", "Removes pending cleans whose plan cannot be read.", []lake.Param{tableParam()}, result, repairCleans},
		{"repair_deduplicate", "Deletes rows of a copy-on-write table whose key comes more than once in a partition: the newest one stays.",
			[]lake.Param{tableParam(), optional("duplicated_partition_path", types.String, nil, "a partition; all where not given"),
				optional("dry_run", types.Boolean, true, "only count them")}, columns("result"), deduplicate},
		{"export_instants", "Writes what instants say to files of a local folder, as JSON.",
			[]lake.Param{tableParam(), required("local_folder", "a folder"), optional("limit", types.Int, int64(-1), "how many at most"),
				optional("actions", types.String, "clean,commit,deltacommit,rollback,savepoint,restore,replacecommit", "kinds of actions, joined by commas"),
				optional("desc", types.Boolean, false, "newest first")}, columns("export_detail"), exportInstants},
		{"archive_commits", "Moves actions of old from the timeline to the archive.",
			[]lake.Param{tableParam(), pathParam(), optional("min_commits", types.Int, int64(keepMin), "commits that stay"),
				optional("max_commits", types.Int, int64(keepMax), "commits from which on some are moved"),
				optional("retain_commits", types.Int, int64(cleanCommits), "commits that cleaning keeps"),
				optional("enable_metadata", types.Boolean, false, "passed over")}, columns("result int"), archiveCommits},
		{"upgrade_table", "Brings the table to a newer version.", []lake.Param{tableParam(), required("to_version", "SIX, EIGHT or NINE, or the number")}, result, upgradeTable},
		{"downgrade_table", "Brings the table to an older version.", []lake.Param{tableParam(), required("to_version", "FIVE, SIX or EIGHT, or the number")}, result, downgradeTable},
	}
}

func repairPartitions(ctx context.Context, c *call) ([][]types.Value, error) {
	groups, err := listFiles(ctx, c.bucket)
	if err != nil {
		return nil, err
	}
	line, err := c.timeline(ctx)
	if err != nil {
		return nil, err
	}
	last, ok := line.Last()
	if !ok {
		return nil, nil
	}
	partitions := map[string]bool{}
	for k := range groups {
		partitions[k.partition] = true
	}
	var rows [][]types.Value
	for _, p := range slices.Sorted(maps.Keys(partitions)) {
		if c.isDescribed(ctx, p) {
			rows = append(rows, []types.Value{p, "Yes", "None"})
			continue
		}
		action := "None"
		if !c.flag("dry_run") {
			if err := c.describePartition(ctx, last.Time, p); err != nil {
				return nil, err
			}
			action = "Repaired"
		}
		rows = append(rows, []types.Value{p, "No", action})
	}
	return rows, nil
}

func repairProperties(ctx context.Context, c *call) ([][]types.Value, error) {
	given, err := localProperties(ctx, c.text("new_props_file_path"))
	if err != nil {
		return nil, err
	}
	old, fresh := config.Properties{}, config.Properties{}
	err = c.locked(ctx, c.settings(nil), func(*timeline.Timeline) error {
		t, err := config.Mend(ctx, c.bucket, func(p config.Properties) {
			maps.Copy(old, p)
			maps.Copy(p, given)
		})
		if err == nil {
			fresh = t.Properties
		}
		return err
	})
	keys := maps.Clone(old)
	maps.Copy(keys, fresh)
	var rows [][]types.Value
	for _, k := range slices.Sorted(maps.Keys(keys)) {
		rows = append(rows, []types.Value{k, old[k], fresh[k]})
	}
	return rows, err
}

// localProperties reads a file of properties beside the table's storage.
func localProperties(ctx context.Context, file string) (config.Properties, error) {
	dir, err := storage.OpenLocal(filepath.Dir(file))
	if err != nil {
		return nil, err
	}
	text, err := storage.ReadFile(ctx, dir, filepath.Base(file), 1<<20)
	if err != nil {
		return nil, err
	}
	return config.Parse(text)
}

func repairCleans(ctx context.Context, c *call) ([][]types.Value, error) {
	return done, c.locked(ctx, c.settings(nil), func(line *timeline.Timeline) error {
		for _, i := range line.Pending(timeline.Clean) {
			requested, ok := line.InState(i, timeline.Requested)
			var p timeline.CleanPlan
			if ok && line.Read(ctx, requested, &p) == nil && p.Policy != "" {
				continue
			}
			if err := line.Remove(ctx, i); err != nil {
				return err
			}
		}
		return nil
	})
}

func exportInstants(ctx context.Context, c *call) ([][]types.Value, error) {
	folder := c.text("local_folder")
	to, err := storage.OpenLocal(folder)
	if err != nil {
		return nil, err
	}
	line, err := c.timeline(ctx)
	if err != nil {
		return nil, err
	}
	wanted := splitNames(c.text("actions"))
	list := slices.DeleteFunc(line.Completed(), func(i timeline.Instant) bool { return !slices.Contains(wanted, string(i.Action)) })
	if c.flag("desc") {
		slices.Reverse(list)
	}
	if n, ok := c.number("limit"); ok && n >= 0 && n < int64(len(list)) {
		list = list[:n]
	}
	delete(c.args, "limit")
	for _, i := range list {
		s := Stage{Instant: i}
		if s.Raw, err = line.ReadRaw(ctx, i); err == nil {
			err = s.decode()
		}
		if err != nil {
			return nil, err
		}
		data := s.Raw
		if s.Record != nil {
			if data, err = json.MarshalIndent(Fields(s.Record), "", "  "); err != nil {
				return nil, err
			}
		}
		if err := storage.WriteFile(ctx, to, i.Time+"."+string(i.Action), storage.Replace, data); err != nil {
			return nil, err
		}
	}
	return [][]types.Value{{fmt.Sprintf("Exported %d Instants to %s", len(list), folder)}}, nil
}

func archiveCommits(ctx context.Context, c *call) ([][]types.Value, error) {
	least, _ := c.number("min_commits")
	most, _ := c.number("max_commits")
	retain, _ := c.number("retain_commits")
	if least <= retain || most <= least {
		return nil, c.refuse("", "min_commits must be more than retain_commits, %d, and max_commits more than min_commits, %d", retain, least)
	}
	_, err := c.archive(ctx, c.settings(nil), least, most)
	return [][]types.Value{{int64(0)}}, err
}

func upgradeTable(ctx context.Context, c *call) ([][]types.Value, error) {
	to, err := versionOf(c.text("to_version"))
	switch {
	case err != nil:
		return nil, err
	case to < c.config.Version:
		return nil, c.refuse("CALL downgrade_table does that.", "version %d is older than the table's, %d", to, c.config.Version)
	case to == c.config.Version:
		return done, nil
	}
	return done, c.toVersion(ctx, c.engine, c.settings(nil), to)
}

func downgradeTable(ctx context.Context, c *call) ([][]types.Value, error) {
	to, err := versionOf(c.text("to_version"))
	switch {
	case err != nil:
		return nil, err
	case to > c.config.Version:
		return nil, c.refuse("CALL upgrade_table does that.", "version %d is newer than the table's, %d", to, c.config.Version)
	case to == c.config.Version:
		return done, nil
	}
	return done, c.toVersion(ctx, c.engine, c.settings(nil), to)
}
