package hudi

import (
	"slices"
	"strconv"
	"strings"

	"github.com/tarn-lake/tarn/lake"
	"github.com/tarn-lake/tarn/lake/hudi/config"
)

// noted are the properties that a table keeps for itself, which no statement gives: with any value for "*", else with these, separated by
// blanks, which are what tables have that say nothing of it.
var noted = map[string]string{
	"hoodie.archivelog.folder":                        "*",
	"hoodie.compaction.payload.class":                 modelPackage + "OverwriteWithLatestAvroPayload " + modelPackage + "DefaultHoodieRecordPayload",
	"hoodie.compaction.record.merger.strategy":        config.StrategyEventTime,
	"hoodie.record.merge.strategy.id":                 config.StrategyEventTime + " " + config.StrategyCommitTime,
	"hoodie.database.name":                            "*",
	"hoodie.datasource.write.drop.partition.columns":  "false",
	"hoodie.datasource.write.hive_style_partitioning": "true",
	"hoodie.datasource.write.partitionpath.urlencode": "false",
	"hoodie.partition.metafile.use.base.format":       "false",
	"hoodie.populate.meta.fields":                     "true",
	"hoodie.table.base.file.format":                   "PARQUET",
	"hoodie.table.cdc.enabled":                        "false",
	"hoodie.table.checksum":                           "*",
	"hoodie.table.create.schema":                      "*",
	"hoodie.table.format":                             "*",
	"hoodie.table.index.defs.path":                    "*",
	"hoodie.table.initial.version":                    "*",
	"hoodie.table.keygenerator.class":                 "*",
	"hoodie.table.keygenerator.type":                  "*",
	"hoodie.table.log.file.format":                    "HOODIE_LOG",
	"hoodie.table.metadata.partitions":                "*",
	"hoodie.table.metadata.partitions.inflight":       "*",
	"hoodie.table.multiple.base.file.formats.enable":  "false",
	"hoodie.table.name":                               "*",
	"hoodie.table.ordering.fields":                    "*",
	"hoodie.table.partition.fields":                   "*",
	"hoodie.table.precombine.field":                   "*",
	"hoodie.table.recordkey.fields":                   "*",
	"hoodie.table.relative.index.defs.path":           "*",
	"hoodie.table.timeline.timezone":                  "*",
	"hoodie.table.type":                               "*",
	"hoodie.table.version":                            "*",
	"hoodie.timeline.history.path":                    "*",
	"hoodie.timeline.layout.version":                  "*",
	"hoodie.timeline.path":                            "*",
}

// Stated are the properties as CREATE TABLE gives them: the words of SQL for key and ordering, settings of writers by their own names,
// and what differs from a table that says nothing. Tables of other versions than new ones have tell theirs.
func (s *Snapshot) Stated() map[string]string {
	out := map[string]string{}
	for k, v := range s.meta.Properties {
		if own, ok := strings.CutPrefix(k, keptPrefix); ok {
			out[own] = v
		} else if silent, ok := noted[k]; !ok || silent != "*" && !slices.Contains(strings.Fields(silent), v) {
			out[k] = v
		}
	}
	if ordered := out["preCombineField"] != ""; s.config.MergeMode == config.EventTime && ordered || s.config.MergeMode == config.CommitTime && !ordered {
		delete(out, "hoodie.record.merge.mode")
	}
	if ordering, ok := out["preCombineField"]; ok && s.config.Version >= 9 {
		out["orderingFields"] = ordering
	}
	if s.config.Version != defaultVersion {
		out["hoodie.write.table.version"] = strconv.Itoa(s.config.Version)
	}
	if class := s.config.Properties["hoodie.table.keygenerator.class"]; class != "" && !slices.Contains(inferred, class[strings.LastIndexByte(class, '.')+1:]) {
		out["hoodie.datasource.write.keygenerator.class"] = class
	}
	return out
}

// inferred are the key generators that follow from the fields of key and partition.
var inferred = []string{"SimpleKeyGenerator", "ComplexKeyGenerator", "NonpartitionedKeyGenerator"}

// Partitions are the paths of the partitions that have files, sorted; none of a table that is not partitioned.
func (s *Snapshot) Partitions() []string {
	if len(s.config.Partition) == 0 {
		return nil
	}
	var out []string
	for _, slice := range s.slices {
		out = append(out, slice.Partition)
	}
	slices.Sort(out)
	return slices.Compact(out)
}

var _ lake.Describer = (*Snapshot)(nil)
