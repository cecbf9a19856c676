package metadata

import (
	"fmt"
	"strconv"
	"strings"
)

// Dir is the folder of the metadata table, relative to the table.
const Dir = ".hoodie/metadata"

// The partitions of the metadata table. Secondary and expression indexes have partitions of their own, named after them.
const (
	FilesPartition          = "files"
	ColumnStatsPartition    = "column_stats"
	BloomFiltersPartition   = "bloom_filters"
	RecordIndexPartition    = "record_index"
	PartitionStatsPartition = "partition_stats"
	SecondaryPrefix         = "secondary_index_"
	ExpressionPrefix        = "expr_index_"
)

// allPartitions is the key of the record that lists the partitions.
const allPartitions = "__all_partitions__"

// unpartitioned is how keys name the one partition of a table that has none.
const unpartitioned = "."

// keyOf is how keys and file maps name a partition of the table.
func keyOf(partition string) string {
	if partition == "" {
		return unpartitioned
	}
	return partition
}

func partitionOf(key string) string {
	if key == unpartitioned {
		return ""
	}
	return key
}

// filePrefix is what the ids of the file groups of a partition begin with.
func filePrefix(partition string) string {
	if partition == ColumnStatsPartition {
		return "col-stats-"
	}
	return strings.ReplaceAll(partition, "_", "-") + "-"
}

// fileID is the id of the n-th file group of a partition. Releases before 0.14 left out the ending.
func fileID(partition string, n int) string { return fmt.Sprintf("%s%04d-0", filePrefix(partition), n) }

// shardOf is the number of a file group in its partition.
func shardOf(partition, id string) (int, bool) {
	rest, ok := strings.CutPrefix(id, filePrefix(partition))
	rest = strings.TrimSuffix(rest, "-0")
	n, err := strconv.Atoi(rest)
	return n, ok && len(rest) >= 4 && err == nil && n >= 0
}

// keyForStats is the key of the bounds of a column: in a file, or with no file in a partition.
func keyForStats(column, partition, file string) string {
	k := nameHash(column) + nameHash(keyOf(partition))
	if file == "" {
		return k
	}
	return k + fileHash(file)
}

func keyForBloom(partition, file string) string { return nameHash(keyOf(partition)) + fileHash(file) }
