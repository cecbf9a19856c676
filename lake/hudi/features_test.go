package hudi

import (
	"fmt"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// feature is a row of the table of features in docs/hudi.md. What is read comes from the ledger of Hudi's tables: yes where a table of
// the version and type, whose name matches tables, gives answers equal to Hudi's. The rest is where a test says so.
type feature struct {
	name   string
	tables string // patterns in testdata/hudi/reads.txt
	asks   string // what the answers begin with

	proof       string // a test, or a scenario of interop/hudi
	yes, refuse string // versions and types for which proof holds: "cow6 mor", "9"; "all"
}

var features = []feature{
	{name: "snapshot query", tables: "*", asks: "snapshot"},
	{name: "read-optimized query", tables: "*", asks: "read_optimized"},
	{name: "time travel", tables: "*", asks: "as of"},
	{name: "incremental query", tables: "*", asks: "incremental"},
	{name: "CDC query", tables: "*cdc*", asks: "cdc"},
	{name: "log blocks: Avro", tables: "blocks_avro", asks: "snapshot"},
	{name: "log blocks: Parquet", tables: "blocks_parquet", asks: "snapshot"},
	{name: "log blocks: partial updates", tables: "partial_update*", asks: "snapshot"},
	{name: "ordering fields", tables: "ordering_*", asks: "snapshot"},
	{name: "commit-time ordering", tables: "commit_time", asks: "snapshot"},
	{name: "schema evolution", tables: "evolution schema_on_read", asks: "snapshot"},
	{name: "virtual keys", tables: "virtual_keys", asks: "snapshot"},
	{name: "dropped partition columns", tables: "drop_partition_cols", asks: "snapshot"},
	{name: "several partition columns", tables: "part_multi", asks: "snapshot"},
	{name: "key generator: complex, one field", tables: "key_one_complex", asks: "snapshot"},
	{name: "key generator: timestamp", tables: "tskeygen_*", asks: "snapshot"},
	{name: "key generator: custom", tables: "customkeygen", asks: "snapshot"},
	{name: "automatic keys", tables: "auto_keys", asks: "snapshot"},
	{name: "bucket index", tables: "bucket", asks: "snapshot"},
	{name: "global index", tables: "global_index", asks: "snapshot"},
	{name: "overwritten tables and partitions", tables: "overwrite", asks: "snapshot"},
	{name: "failed writes of Hudi", tables: "failed_write*", asks: "snapshot"},
	{name: "rollbacks and restores of Hudi", tables: "rollback savepoint_restore", asks: "snapshot"},
	{name: "services of Hudi", tables: "services clustering compaction", asks: "snapshot"},
	{name: "bootstrapped tables", proof: "TestOpenRefuses", refuse: "all"},
	{name: "INSERT, UPDATE, DELETE, MERGE", proof: "TestHudiWritesModel", yes: "all"},
	{name: "MERGE INTO with any clauses, conditions and keys", proof: "TestHudiMergeInto", yes: "all"},
	{name: "INSERT, UPDATE, DELETE and MERGE as Hudi answers", proof: "TestHudiDML", yes: "6 9"},
	{name: "CREATE TABLE … AS SELECT, by each operation", proof: "TestHudiCreateAsSelect", yes: "all"},
	{name: "operation: bulk_insert", proof: "TestHudiOperations", yes: "all"},
	{name: "operation: insert", proof: "TestHudiOperations", yes: "all"},
	{name: "operation: upsert", proof: "TestHudiOperations", yes: "all"},
	{name: "operation: delete", proof: "TestHudiOperations", yes: "all"},
	{name: "operation: insert_overwrite", proof: "TestHudiOperations", yes: "all"},
	{name: "operation: insert_overwrite_table", proof: "TestHudiOperations", yes: "all"},
	{name: "operation: delete_partition", proof: "TestHudiOperations", yes: "all"},
	{name: "index: SIMPLE, INMEMORY", proof: "TestHudiIndexTypes", yes: "all"},
	{name: "index: GLOBAL_SIMPLE", proof: "TestHudiIndexTypes", yes: "all"},
	{name: "index: BLOOM", proof: "TestHudiIndexTypes", yes: "all"},
	{name: "index: GLOBAL_BLOOM", proof: "TestHudiIndexTypes", yes: "all"},
	{name: "index: BUCKET (simple)", proof: "TestHudiIndexTypes", yes: "all"},
	{name: "index: RECORD_INDEX", proof: "TestHudiIndexTypes", yes: "6 8 9"},
	{name: "key generator on write: simple", proof: "TestHudiKeyGenerators", yes: "all"},
	{name: "key generator on write: complex", proof: "TestHudiKeyGenerators", yes: "all"},
	{name: "key generator on write: non-partitioned", proof: "TestHudiKeyGenerators", yes: "all"},
	{name: "key generator on write: global delete", proof: "TestHudiKeyGenerators", yes: "all"},
	{name: "key generator on write: timestamp", proof: "TestHudiKeyGenerators", yes: "all"},
	{name: "key generator on write: custom", proof: "TestHudiKeyGenerators", yes: "all"},
	{name: "answers that differ from Hudi on purpose", proof: "TestHudiDeviations", yes: "6 9"},
	{name: "written by turns with Hudi", proof: "interop/hudi/tarn_first.sql", yes: "all"},
	{name: "payload classes and partial update modes, written", proof: "TestHudiPayloadWrites", yes: "mor5 6 8 9"},
	{name: "MERGE INTO that logs the changed columns alone", proof: "TestHudiPartialUpdates", yes: "mor8 mor9"},
	{name: "record positions in logs", proof: "TestHudiRecordPositions", yes: "mor8 mor9"},
	{name: "running sums and means", proof: "TestHudiFoldings", yes: "all"},
	{name: "virtual keys, written", proof: "TestHudiVirtualKeys", yes: "all"},
	{name: "wider types and new columns by writes", proof: "TestHudiWidenedColumns", yes: "all"},
	{name: "change records, written", proof: "interop/hudi/cdc.sql", yes: "6 8 9"},
	{name: "columns renamed, dropped, retyped", proof: "TestHudiEvolves", yes: "all"},
	{name: "payload classes and merge modes", proof: "TestPayloads", yes: "mor6 mor9"},
	{name: "metadata table: files", proof: "TestHudiMetadataTable", yes: "6 8 9"},
	{name: "metadata table: column_stats", proof: "TestHudiMetadataTable", yes: "6 9"},
	{name: "metadata table: partition_stats", proof: "TestHudiMetadataTable", yes: "9"},
	{name: "metadata table: bloom_filters", proof: "TestHudiMetadataTable", yes: "6"},
	{name: "metadata table: record_index", proof: "TestHudiMetadataTable", yes: "6 8 9"},
	{name: "metadata table: secondary indexes, read", proof: "TestHudiSecondaryIndex", yes: "mor8"},
	{name: "skipping by statistics of columns", proof: "TestHudiPruning", yes: "cow6 mor6 cow9 mor9"},
	{name: "skipping by statistics of partitions", proof: "TestHudiPartitionStatistics", yes: "mor9"},
	{name: "skipping by Bloom filters", proof: "TestHudiBloomFilters", yes: "cow6"},
	{name: "metadata table: indexes of expressions, read", proof: "TestHudiExpressionIndex", yes: "cow8 mor9"},
	{name: "options of all releases known", proof: "TestKnownOptions", yes: "all"},
	{name: "CREATE INDEX, DROP INDEX", proof: "TestHudiIndexes", yes: "6 8 9"},
	{name: "BLOOM index: files by their footers", proof: "TestHudiFooterIndexes", yes: "6 9"},
	{name: "duplicates and file sizes of inserts", proof: "TestHudiInsertOptions", yes: "9"},
	{name: "rows that change their partition", proof: "TestHudiMovedRows", yes: "6 9"},
	{name: "damaged metadata table", proof: "TestHudiDamagedMetadata", yes: "mor5 cow6 9"},
	{name: "cleaning", proof: "TestHudiClean", yes: "all"},
	{name: "compaction", proof: "TestHudiServices", yes: "mor"},
	{name: "clustering", proof: "TestHudiServices", yes: "all"},
	{name: "archiving", proof: "TestHudiServices", yes: "all"},
	{name: "savepoints and restore", proof: "TestHudiServices", yes: "all"},
	{name: "drop_partition, truncate_table, run_ttl", proof: "TestHudiServices", yes: "all"},
	{name: "services at their thresholds", proof: "TestHudiManyCommits", yes: "6 9"},
	{name: "services stopped at any step", proof: "TestHudiServiceCrash", yes: "cow9 mor6"},
	{name: "clusterings whose process has ended", proof: "TestHudiAbandonedClustering", yes: "cow9 mor6"},
	{name: "rollback_to_instant", proof: "TestHudiRollbackToInstant", yes: "all"},
	{name: "repair_deduplicate", proof: "TestHudiDeduplicate", yes: "cow"},
	{name: "procedures that show commits, actions, files, logs and metadata", proof: "TestShowProcedures", yes: "all"},
	{name: "repair_add_partition_meta, repair_overwrite_hoodie_props, repair_corrupted_clean_files", proof: "TestHudiRepairs", yes: "cow6"},
	{name: "export_instants", proof: "TestHudiExportInstants", yes: "cow6 cow9"},
	{name: "commits_compare, copy_to_table, copy_to_temp_view, show_fs_path_detail", proof: "TestHudiStatements", yes: "cow6 mor9"},
	{name: "SHOW and DESCRIBE as Spark prints", proof: "TestHudiStatements", yes: "cow6 mor9"},
	{name: "lost, empty and cut properties", proof: "TestHudiStatements", yes: "cow6"},
	{name: "upgrade and downgrade", proof: "TestHudiVersions", yes: "all"},
	{name: "rollback of failed writes", proof: "TestRollbackOfFailedWrites", yes: "6 9"},
	{name: "lock files that Hudi honours", proof: "TestLocksOfHudi", yes: "all"},
	{name: "storage-based lock", proof: "TestLocks", yes: "all"},
	{name: "conflicts between writers", proof: "TestConflictRules", yes: "mor6 mor8"},
	{name: "non-blocking writers of buckets", proof: "TestHudiNonBlocking", yes: "mor8 mor9"},
	{name: "writers that lost their lock, or are late", proof: "TestHudiLostWriter", yes: "6 9"},
	{name: "processes that are killed", proof: "TestHudiStress", yes: "6 9"},
	{name: "concurrency: optimistic, of goroutines", proof: "TestHudiConcurrentWriters", yes: "6 9"},
	{name: "concurrency: optimistic, of processes", proof: "TestHudiWriterProcesses", yes: "cow9 mor6"},
}

// TestDocumentedFeatures holds the table of features in docs/hudi.md against the ledger, and the tests against those that there are.
func TestDocumentedFeatures(t *testing.T) {
	root := filepath.Join("..", "..")
	ledger, err := os.ReadFile(filepath.Join(root, "testdata", "hudi", "reads.txt"))
	if err != nil {
		t.Fatal(err)
	}
	answers := ledgerAnswers(string(ledger))
	tests := testNames(t, root)
	var b strings.Builder
	b.WriteString("| feature | 5 COW | 5 MOR | 6 COW | 6 MOR | 8 COW | 8 MOR | 9 COW | 9 MOR | proved by |\n|---|---|---|---|---|---|---|---|---|---|\n")
	for _, f := range features {
		fmt.Fprintf(&b, "| %s |", f.name)
		for _, version := range []string{"5", "6", "8", "9"} {
			for _, kind := range []string{"cow", "mor"} {
				b.WriteString(" " + f.cell(answers, version, kind) + " |")
			}
		}
		proof := f.proof
		switch {
		case proof == "":
			proof = "TestHudiReads"
		case strings.Contains(proof, "/"):
			if _, err := os.Stat(filepath.Join(root, proof)); err != nil {
				t.Errorf("%s: %v", f.name, err)
			}
		}
		if !strings.Contains(proof, "/") && !tests[proof] {
			t.Errorf("%s is proved by %s, which is no test", f.name, proof)
		}
		b.WriteString(" `" + proof + "` |\n")
	}
	documented(t, "hudi.md", "features", b.String())
}

// cell says what a version and type of table has of f: nothing where no test tells.
func (f *feature) cell(answers map[string][]string, version, kind string) string {
	if f.proof != "" {
		switch {
		case covers(f.yes, version, kind):
			return "yes"
		case covers(f.refuse, version, kind):
			return "refused"
		}
		return ""
	}
	equal, otherwise := false, false
	for table, list := range answers {
		rest, ok := strings.CutPrefix(table, "v"+version+"_"+kind+"_")
		if !ok || !anyMatches(f.tables, rest) {
			continue
		}
		for _, a := range list {
			if strings.HasPrefix(a, f.asks) {
				_, verdict, _ := strings.Cut(a, ": ")
				equal = equal || strings.HasPrefix(verdict, "equal")
				otherwise = otherwise || strings.HasPrefix(verdict, "otherwise")
			}
		}
	}
	switch {
	case equal:
		return "yes"
	case otherwise:
		return "other"
	}
	return ""
}

func anyMatches(patterns, name string) bool {
	for _, p := range strings.Fields(patterns) {
		if ok, err := path.Match(p, name); ok && err == nil {
			return true
		}
	}
	return false
}

func covers(list, version, kind string) bool {
	for _, x := range strings.Fields(list) {
		if x == "all" || x == version || x == kind || x == kind+version {
			return true
		}
	}
	return false
}

// ledgerAnswers are the answers that a ledger of reads holds, by table.
func ledgerAnswers(ledger string) map[string][]string {
	out, table := map[string][]string{}, ""
	for line := range strings.Lines(ledger) {
		line = strings.TrimSpace(line)
		if name, ok := strings.CutPrefix(line, "read "); ok {
			table = name
			continue
		}
		out[table] = append(out[table], line)
	}
	return out
}

// testNames are the tests of the whole module.
func testNames(t *testing.T, root string) map[string]bool {
	t.Helper()
	name := regexp.MustCompile(`(?m)^func (Test\w+)\(`)
	out := map[string]bool{}
	for _, pattern := range []string{"*_test.go", "lake/hudi/*_test.go", "lake/hudi/*/*_test.go"} {
		files, err := filepath.Glob(filepath.Join(root, pattern))
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range files {
			text, err := os.ReadFile(f)
			if err != nil {
				t.Fatal(err)
			}
			for _, m := range name.FindAllStringSubmatch(string(text), -1) {
				out[m[1]] = true
			}
		}
	}
	return out
}
