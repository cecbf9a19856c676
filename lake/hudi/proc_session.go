package hudi

import (
	"github.com/tarn-lake/tarn/lake"
	"github.com/tarn-lake/tarn/types"
)

// sessionProcedures are those that a session carries out by itself, since they make tables and views or look at other folders.
func sessionProcedures() []procedure {
	status := columns("status int")
	kind := optional("query_type", types.String, "snapshot", "snapshot, read_optimized or incremental")
	begin := optional("begin_instance_time", types.String, "", "of an incremental query: after this instant")
	end := optional("end_instance_time", types.String, "", "of an incremental query: up to this instant")
	at := optional("as_of_instant", types.String, "", "of a snapshot query: the state at this instant")
	return []procedure{
		{"commits_compare", "Tells by how many commits a table is ahead of another one, or behind.",
			[]lake.Param{tableParam(), required("path", "folder of the other table")}, columns("compare_detail"), nil},
		{"copy_to_table", "Writes the rows of the table to a table of the session's default format.",
			[]lake.Param{tableParam(), kind, required("new_table", "name of the table to write to"), begin, end, at,
				optional("save_mode", types.String, "overwrite", "overwrite, append, ignore or errorifexists"),
				optional("columns", types.String, "", "columns, joined by commas; all where not given")}, status, nil},
		{"copy_to_temp_view", "Makes a temporary view of the rows of the table.",
			[]lake.Param{tableParam(), kind, required("view_name", "name of the view"), begin, end, at,
				optional("replace", types.Boolean, false, "in the place of a view of that name"),
				optional("global", types.Boolean, false, "for all sessions, in global_temp")}, status, nil},
		{"show_fs_path_detail", "Shows how many folders and files there are under a path, and how large they are.",
			[]lake.Param{required("path", "a folder"), optional("is_sub", types.Boolean, false, "each thing in the folder by itself"),
				optional("sort", types.Boolean, true, "the largest first"), limitParam(100), filterParam()},
			columns("path_num bigint", "file_num bigint", "storage_size bigint", "storage_size(unit)", "storage_path", "space_consumed bigint",
				"quota bigint", "space_quota bigint"), nil},
	}
}

// refused are procedures of Hudi that do not exist here, and why.
var refused = map[string]string{
	"hdfs_parquet_import":                "INSERT INTO … SELECT * FROM parquet.`…` loads files.",
	"hive_sync":                          "tarn has a catalog of its own: CREATE TABLE … USING hudi LOCATION names a table there.",
	"partition_bucket_index_manager":     "Partitions with their own numbers of buckets are not written.",
	"repair_migrate_partition_meta":      "Metadata of partitions is written as text, which every release of Hudi reads.",
	"run_bootstrap":                      "Bootstrapped tables are not supported: CREATE TABLE … USING hudi AS SELECT … copies the rows.",
	"run_rollback_inflight_tableservice": "run_compaction and run_clustering carry out what was interrupted, and the next writer undoes the rest.",
	"set_audit_lock":                     "Locks keep no records of their own.",
	"show_audit_lock_status":             "Locks keep no records of their own.",
	"show_bootstrap_mapping":             "Bootstrapped tables are not supported.",
	"show_bootstrap_partitions":          "Bootstrapped tables are not supported.",
	"show_file_status":                   "show_commit_files and show_rollback_detail tell which files were written and deleted.",
	"show_invalid_parquet":               "The command tarn doctor looks into every file of a table.",
	"show_metadata_column_stats_overlap": "show_metadata_table_column_stats shows the ranges of values of all files.",
	"sync_validate":                      "tarn has a catalog of its own, and nothing to compare it with.",
}
