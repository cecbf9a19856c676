package hudi

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
)

// options are the settings of a write: hoodie.… keys in lower case. A wrong value is remembered and told by err.
type options struct {
	all      map[string]string
	defaults map[string]string // under all of them: those of hudi-defaults.conf
	wrong    *[]error
}

func newOptions(given map[string]string) options {
	o := options{all: map[string]string{}, wrong: new([]error)}
	for k, v := range given {
		o.all[strings.ToLower(k)] = strings.TrimSpace(v)
	}
	return o
}

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

func (o options) isSet(key string) bool { return o.text("", key) != "" }

// text is the value of the first key that is set, else def. The keys are names of one setting.
func (o options) text(def string, keys ...string) string {
	for _, values := range []map[string]string{o.all, o.defaults} {
		for _, k := range keys {
			if v := values[k]; v != "" {
				return v
			}
		}
	}
	return def
}

// names are the list that the keys give, which must not contradict each other.
func (o options) names(keys ...string) []string {
	var out []string
	first := ""
	for _, k := range keys {
		list := splitNames(o.all[k])
		switch {
		case len(list) == 0:
		case first == "":
			out, first = list, k
		case !slices.EqualFunc(out, list, strings.EqualFold):
			o.bad("%s=%s and %s=%s contradict each other", first, o.all[first], k, o.all[k])
		}
	}
	if out == nil {
		out = splitNames(options{all: o.defaults}.text("", keys...))
	}
	return out
}

func (o options) flag(key string, def bool) bool {
	switch v := o.text("", key); strings.ToLower(v) {
	case "":
		return def
	case "true":
		return true
	case "false":
		return false
	default:
		o.bad("%s=%s: true or false is expected", key, v)
		return def
	}
}

func (o options) number(key string, def int64) int64 {
	v := o.text("", key)
	if v == "" {
		return def
	}
	n, err := strconv.ParseInt(v, 10, 64)
	if err != nil || n < 0 {
		o.bad("%s=%s: a whole number from 0 on is expected", key, v)
		return def
	}
	return n
}

// optionError is why an option or a property cannot be followed.
type optionError string

func (e optionError) Error() string { return string(e) }

func badOption(format string, args ...any) error { return optionError(fmt.Sprintf(format, args...)) }

func (o options) bad(format string, args ...any) {
	if o.wrong != nil {
		*o.wrong = append(*o.wrong, badOption(format, args...))
	}
}

func (o options) err() error {
	if o.wrong == nil {
		return nil
	}
	return errors.Join(*o.wrong...)
}

// The defaults of Hudi for sizes of base files, in bytes.
const (
	maxFileSize    = 120 << 20
	smallFileLimit = 100 << 20
	// On a merge-on-read table inserts fill only files that are quickly written anew.
	smallMergedLimit = 16 << 20
)

// operation is what a write does with rows whose keys are there already.
type operation string

// The operations, as commits name them.
const (
	opInsert          operation = "INSERT"
	opUpsert          operation = "UPSERT"
	opBulkInsert      operation = "BULK_INSERT"
	opDelete          operation = "DELETE"
	opOverwrite       operation = "INSERT_OVERWRITE"
	opOverwriteTable  operation = "INSERT_OVERWRITE_TABLE"
	opDeletePartition operation = "DELETE_PARTITION"
	opUpsertPrepped   operation = "UPSERT_PREPPED"
	opDeletePrepped   operation = "DELETE_PREPPED"
	opAlterSchema     operation = "ALTER_SCHEMA"
)

var operations = map[string]operation{
	"insert": opInsert, "upsert": opUpsert, "bulk_insert": opBulkInsert, "delete": opDelete, "insert_overwrite": opOverwrite,
	"insert_overwrite_table": opOverwriteTable, "delete_partition": opDeletePartition,
}

// operationOf is what an Append is to do. An upsert whose duplicates are dropped or an error is an insert.
func (x *tx) operationOf() (operation, error) {
	op, err := x.askedOperation()
	if err != nil || op != opUpsert {
		return op, err
	}
	policy, err := x.duplicates()
	if policy != keepDuplicates {
		op = opInsert
	}
	return op, err
}

// askedOperation is what the options say, in the words of the datasource or of SQL; else an upsert of tables with a record key and an ordering
// field, and an insert of others, as SQL has it in Hudi 0.14 to 1.0.
func (x *tx) askedOperation() (operation, error) {
	c := x.config()
	name := x.options.text("", optOperation, "hoodie.spark.sql.insert.into.operation", "hoodie.sql.write.operation")
	if name != "" {
		op, ok := operations[strings.ToLower(name)]
		if !ok {
			return "", badOption("%s=%s is not one of %s", optOperation, name, strings.Join(slices.Sorted(maps.Keys(operations)), ", "))
		}
		if op == opUpsert && len(c.RecordKey) == 0 {
			return opInsert, nil
		}
		return op, nil
	}
	if x.foldings != nil {
		return opUpsert, nil
	}
	mode := strings.ToLower(x.options.text("", optInsertMode))
	if x.options.flag("hoodie.sql.bulk.insert.enable", false) {
		if mode == strictMode {
			return "", badOption("hoodie.sql.bulk.insert.enable=true looks for no keys, as %s=strict asks", optInsertMode)
		}
		return opBulkInsert, nil
	}
	if len(c.RecordKey) > 0 && len(c.Ordering) > 0 && mode != "non-strict" {
		return opUpsert, nil
	}
	return opInsert, nil
}

const (
	optOperation  = "hoodie.datasource.write.operation"
	optInsertMode = "hoodie.sql.insert.mode" // upsert, strict or non-strict
	strictMode    = "strict"
)

// takeOptions reads the options of a change; where they are silent, the settings of the table count. Those that are given must not deny
// what the table is; those of hudi-defaults.conf speak of new tables there.
func (x *tx) takeOptions(given map[string]string) error {
	t := *x.table
	t.config = x.config()
	x.options = t.settings(given)
	x.keys, x.buckets = nil, nil
	if err := x.conflicts(); err != nil {
		return err
	}
	var err error
	if x.options.defaults, err = readDefaults(); err != nil {
		return err
	}
	if x.warnings, err = x.options.heed(); err != nil {
		return err
	}
	if x.nonBlocking, err = x.isNonBlocking(); err != nil {
		return err
	}
	if err := x.noLogCompaction(); err != nil {
		return err
	}
	c, err := withPayloadOf(x.config(), x.options)
	if err != nil {
		return err
	}
	if c != x.config() {
		view := *x.view
		view.config, x.view = c, &view
	}
	return x.takeFoldings()
}
