package delta

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/tarn-lake/tarn/lake"
)

// propertyKind says which values a table property may have.
type propertyKind uint8

const (
	anyText propertyKind = iota
	boolean
	number   // a whole number
	positive // a whole number above zero
	interval
)

// knownProperties are the table properties that Delta knows (P §Table Properties, and Delta Spark's DeltaConfigs), without
// `delta.`. Those below constraints and feature have names of their own.
var knownProperties = map[string]propertyKind{
	"appendOnly": boolean, "autoOptimize": boolean, "autoOptimize.autoCompact": anyText, "autoOptimize.optimizeWrite": boolean,
	"castIcebergTimeType": boolean, "checkpoint.writeStatsAsJson": boolean, "checkpoint.writeStatsAsStruct": boolean, "checkpointInterval": positive,
	"checkpointPolicy": anyText, "columnMapping.maxColumnId": number, "columnMapping.mode": anyText,
	"compatibility.symlinkFormatManifest.enabled": boolean, "dataSkippingNumIndexedCols": number, "dataSkippingStatsColumns": anyText,
	"deletedFileRetentionDuration": interval, "enableChangeDataFeed": boolean, "enableDeletionVectors": boolean, "enableExpiredLogCleanup": boolean,
	"enableFullRetentionRollback": boolean, "enableIcebergCompatV1": boolean, "enableIcebergCompatV2": boolean, "enableIcebergCompatV3": boolean,
	"enableInCommitTimestamps": boolean, "enableRowTracking": boolean, "enableTypeWidening": boolean, "ignoreProtocolDefaults": boolean,
	"inCommitTimestampEnablementTimestamp": number, "inCommitTimestampEnablementVersion": number, "isolationLevel": anyText,
	"logRetentionDuration": interval, "minReaderVersion": number, "minWriterVersion": number, "parquet.compression.codec": anyText,
	"parquet.format.version": anyText, "randomPrefixLength": positive, "randomizeFilePrefixes": boolean,
	"requireCheckpointProtectionBeforeVersion": number, "rowTracking.materializedRowCommitVersionColumnName": anyText,
	"rowTracking.materializedRowIdColumnName": anyText, "sampleRetentionDuration": interval, "setTransactionRetentionDuration": interval,
	"targetFileSize": anyText, "tuneFileSizesForRewrites": boolean, "universalFormat.enabledFormats": anyText, "workloadBasedColumns": anyText,
}

// checkProperties refuses properties that Delta does not know, and values that they cannot have. Those that the table has
// already, from another writer perhaps, are left alone.
func checkProperties(set, before map[string]string) error {
	var unknown []string
	for key, value := range set {
		name, ours := strings.CutPrefix(key, "delta.")
		if old, had := before[key]; !ours || had && old == value || strings.HasPrefix(name, "constraints.") || strings.HasPrefix(name, "feature.") {
			continue
		}
		kind, known := knownProperties[name]
		if !known {
			unknown = append(unknown, key)
			continue
		}
		if err := kind.check(value); err != nil {
			return &lake.Error{Op: "set table property", Err: fmt.Errorf("%s = %q: %w", key, value, err)}
		}
		if name == "isolationLevel" && value != isolation {
			return &lake.Error{Op: "set table property", Err: errors.New(key + " must be " + isolation)}
		}
	}
	if len(unknown) == 0 {
		return nil
	}
	slices.Sort(unknown)
	return &lake.Error{Op: "set table property", Class: "DELTA_UNKNOWN_CONFIGURATION",
		Params: map[string]string{"config": strings.Join(unknown, ", "), "disableCheckConfig": "spark.databricks.delta.allowArbitraryProperties.enabled"},
		Err:    errors.New("Delta has no property " + strings.Join(unknown, ", ")), Hint: "names of own properties must not start with delta."}
}

func (k propertyKind) check(value string) error {
	var err error
	switch k {
	case boolean:
		if !strings.EqualFold(value, "true") && !strings.EqualFold(value, "false") {
			err = errors.New("it must be true or false")
		}
	case number:
		_, err = strconv.ParseInt(value, 10, 64)
	case positive:
		if n, e := strconv.ParseInt(value, 10, 64); e != nil || n <= 0 {
			err = errors.New("it must be a whole number above zero")
		}
	case interval:
		if _, ok := since(value, time.Now()); !ok {
			err = errors.New("it must be an interval such as `interval 7 days`")
		}
	}
	return err
}
