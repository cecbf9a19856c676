package hudi

import (
	"fmt"
	"strings"

	"github.com/tarn-lake/tarn/lake/hudi/config"
)

// mergeRule says which of the rows of one key a table shows (§2.2, §2.3). A later record replaces an earlier one, except as it says.
type mergeRule struct {
	ordering []string // columns that order the rows of a key; none: the later wins always
	// overBase: a row of a base file with a larger ordering value than the logs' stays. Otherwise ordering counts among log records only.
	overBase bool
	// deletesCount: the ordering value of a deletion counts as that of a row does, for the rows after it and for base files. Before table
	// version 8 it counts against the rows before it in the logs alone.
	deletesCount bool
	// keepsNulls: a column that is NULL in the newer row keeps the value of the older one.
	keepsNulls                keepsNulls
	unavailable               string // a text that stands for the value of the older row; "": none does
	deleteField, deleteMarker string // a row with this text in this column is a deletion; "": none is
	deleteFold                bool   // the marker is compared without regard to case
	// joinsBatch: rows of one key in one batch become one row, as a row and a stored one do. Otherwise one of them is taken.
	joinsBatch bool
	// staleFills: an older row gives its values to columns that have none in the newer one. Otherwise it has no effect.
	staleFills bool
	// deletesAlways: a deletion that comes to a stored row counts whatever its ordering value.
	deletesAlways bool
	// deletesYield: of rows of one key in one batch, one that comes after a deletion goes before it, whatever their ordering values.
	deletesYield bool
	// sequence: ordering values are texts like 000012.3456, a file and a position of a binary log. Between a stored row and another these numbers
	// count, and of equal ones the stored row stays; among others the texts do.
	sequence bool
	// onlyDeletes: ordering values count where one of two rows is a deletion; of other rows the later wins.
	onlyDeletes bool
}

// partial reports whether a row may leave values of the older one in place.
func (r *mergeRule) partial() bool { return r.keepsNulls != nullsReplace || r.unavailable != "" }

// keepsNulls says where NULL keeps the older value.
type keepsNulls uint8

const (
	nullsReplace   keepsNulls = iota
	nullsKeepBase             // of base files, not of earlier log records
	nullsKeepOlder            // everywhere
)

// Columns that tell of deletions.
const (
	isDeletedColumn = "_hoodie_is_deleted"
	operationColumn = "_hoodie_operation" // of tables that keep change logs
	operationDelete = "D"
)

const (
	optDeleteField  = "hoodie.payload.delete.field"
	optDeleteMarker = "hoodie.payload.delete.marker"
	optUnavailable  = "hoodie.write.partial.update.unavailable.value"
	sequenceColumn  = "_event_seq"
	debeziumMarker  = "__debezium_unavailable_value"
	modelPackage    = "org.apache.hudi.common.model."
)

// mergeRuleOf is the rule of a table. It is an error when the table merges in a way that is not known.
func mergeRuleOf(c *config.Table) (mergeRule, error) {
	r := mergeRule{ordering: c.Ordering}
	r.deleteField, r.deleteMarker = c.Properties[optDeleteField], c.Properties[optDeleteMarker]
	if f := c.MergeOptions[optDeleteField]; f != "" {
		r.deleteField, r.deleteMarker = f, c.MergeOptions[optDeleteMarker]
	}
	if (r.deleteField == "") != (r.deleteMarker == "") {
		return r, fmt.Errorf("of %s and %s only one is set", optDeleteField, optDeleteMarker)
	}
	if c.Version < 8 || c.MergeMode == config.Custom {
		if c.MergeStrategy == config.StrategyCommitTime { // as Hudi 1.x writes it into tables of version 6
			r.ordering = nil
		}
		if c.MergeMode == config.Custom && c.Payload == "" {
			return r, badOption("rows are merged by the strategy %s, which tarn does not know", c.MergeStrategy)
		}
		return r, r.setPayload(c)
	}
	r.deletesCount = true
	switch c.MergeMode {
	case config.CommitTime:
		r.ordering = nil
	case config.EventTime:
		r.overBase = true
	}
	switch c.PartialUpdate {
	case config.IgnoreDefaults:
		r.keepsNulls = nullsKeepOlder
	case config.FillUnavailable:
		r.unavailable = debeziumMarker
		if m := c.MergeOptions[optUnavailable]; m != "" {
			r.unavailable = m
		}
	}
	r.joinsBatch = r.partial()
	r.staleFills = r.joinsBatch && r.overBase
	return r, nil
}

// setPayload makes the rule that of a payload class, whose methods of merging among logs and with base files differ.
func (r *mergeRule) setPayload(c *config.Table) error {
	name, known := strings.CutPrefix(c.Payload, modelPackage)
	switch name {
	case "", "OverwriteWithLatestAvroPayload":
	case "DefaultHoodieRecordPayload":
		r.overBase = true
	case "EventTimeAvroPayload":
		r.overBase, r.deletesAlways = true, true
	case "OverwriteNonDefaultsWithLatestAvroPayload":
		r.keepsNulls = nullsKeepBase
	case "PartialUpdateAvroPayload":
		r.overBase, r.keepsNulls = true, nullsKeepOlder
		r.joinsBatch, r.staleFills, r.deletesAlways, r.deletesYield = true, true, true, true
	case "debezium.PostgresDebeziumAvroPayload":
		r.overBase, r.unavailable = true, debeziumMarker
		r.deleteField, r.deleteMarker = "_change_operation_type", "d"
	case "debezium.MySqlDebeziumAvroPayload":
		r.overBase, r.sequence = true, true
		r.deleteField, r.deleteMarker = "_change_operation_type", "d"
		if len(c.Ordering) != 1 || c.Ordering[0] != sequenceColumn {
			return fmt.Errorf("%s orders rows by %s, not by %s", name, sequenceColumn, strings.Join(c.Ordering, ","))
		}
		known = known && (c.Version < 8 || c.Type == config.CopyOnWrite) // Hudi 1.0 mixes numbers and texts among logs
	case "AvroSummationPayload", "AvroAveragePayload": // of tables of Hudi: its logs hold rows that are not added up
		known = known && c.Type == config.CopyOnWrite
	case "AWSDmsAvroPayload":
		r.deleteField, r.deleteMarker, r.deleteFold = "Op", "D", true
	default:
		known = false
	}
	if !known && c.Payload != "" {
		return badOption("rows are merged by the class %s, which tarn does not know", c.Payload)
	}
	if c.Version >= 8 && c.Type == config.MergeOnRead {
		r.amongLogs()
	}
	return nil
}

// amongLogs makes a rule of a payload class that of Hudi 1.0 on merge-on-read tables: logs are merged among each other as they are with base
// files, and deletions have an ordering value that counts.
func (r *mergeRule) amongLogs() {
	r.onlyDeletes = !r.overBase
	r.overBase, r.deletesCount, r.deletesAlways = true, true, false
	if r.keepsNulls == nullsKeepBase {
		r.keepsNulls = nullsKeepOlder
	}
}

// deletes says whether a text in the delete field makes a row a deletion.
func (r *mergeRule) deletes(marker string) bool {
	return marker == r.deleteMarker || r.deleteFold && strings.EqualFold(marker, r.deleteMarker)
}
