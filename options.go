package tarn

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"path/filepath"
	"runtime"
	"sort"
	"strings"

	"github.com/tarn-lake/tarn/catalog"
	"github.com/tarn-lake/tarn/engine"
	"github.com/tarn-lake/tarn/lake"
	"github.com/tarn-lake/tarn/storage"
)

// Options say how a [DB] is set up. The zero value opens the folder "tarn-warehouse" with the embedded engine.
type Options struct {
	// Warehouse is the folder that managed tables and the embedded catalog live in; it is made when something is
	// first stored. Default: "tarn-warehouse" in the current folder.
	Warehouse string
	// Memory bounds the bytes that statements use together. Default: 60 % of the machine's.
	Memory int64
	// SpillDir is the folder for rows that do not fit in Memory. Default: a fresh folder under os.TempDir.
	SpillDir string
	// SpillQuota bounds the bytes in SpillDir. Default: 90 % of what is free there.
	SpillQuota int64
	// AllowedRoots are folders that tables may name data files in beside their own folder, as shallow clones do:
	// absolute local paths or file: URLs. Default: none, since a table's log is not trusted to name files elsewhere.
	AllowedRoots []string
	// Threads bounds the threads that compute. Default: one per processor.
	Threads int
	// Logger is told about retries and recovered faults. Default: nothing is logged.
	Logger *slog.Logger
	// Conf holds settings that each session starts with, by Spark's names.
	Conf map[string]string

	// Engine computes rows. Default: an embedded DuckDB, closed with the DB. An engine given here is not closed.
	Engine engine.Engine
	// Catalogs know tables by name. Default: the embedded catalog of Warehouse, as [DefaultCatalog].
	Catalogs map[string]catalog.Catalog
	// Formats are the table formats by the name that USING gives them, over the built-in ones.
	Formats map[string]lake.Format
	// Bucket opens the folder that a location names. Default: local paths and file: URLs.
	Bucket func(ctx context.Context, location string) (storage.Bucket, error)
}

// defaultWarehouse is the folder of a DB whose Options name none.
const defaultWarehouse = "tarn-warehouse"

// Validate tells all that is wrong with o.
func (o Options) Validate() error {
	var errs []error
	if o.Memory < 0 {
		errs = append(errs, fmt.Errorf("Memory is negative: %d", o.Memory))
	}
	if o.Memory > 0 && o.Memory < 64<<20 {
		errs = append(errs, fmt.Errorf("Memory of %d bytes is too small: at least 64 MiB are needed", o.Memory))
	}
	if o.SpillQuota < 0 {
		errs = append(errs, fmt.Errorf("SpillQuota is negative: %d", o.SpillQuota))
	}
	if o.Threads < 0 {
		errs = append(errs, fmt.Errorf("Threads is negative: %d", o.Threads))
	}
	for _, root := range o.roots() {
		if !filepath.IsAbs(root) || filepath.Clean(root) == "/" {
			errs = append(errs, fmt.Errorf("AllowedRoots has %q, which is not an absolute folder below the root", root))
		}
	}
	for name, f := range o.Formats {
		if f == nil {
			errs = append(errs, fmt.Errorf("Formats has no value for %q", name))
		}
	}
	return errors.Join(errs...)
}

// roots are the paths of AllowedRoots.
func (o Options) roots() []string {
	var out []string
	for _, root := range o.AllowedRoots {
		out = append(out, filepath.Clean(localPath(root)))
	}
	return out
}

// String gives the options that are set, one `name=value` after the other.
func (o Options) String() string {
	var parts []string
	add := func(name string, value any, set bool) {
		if set {
			parts = append(parts, fmt.Sprintf("%s=%v", name, value))
		}
	}
	add("warehouse", o.Warehouse, o.Warehouse != "")
	add("memory", o.Memory, o.Memory != 0)
	add("spill_dir", o.SpillDir, o.SpillDir != "")
	add("spill_quota", o.SpillQuota, o.SpillQuota != 0)
	add("allowed_roots", strings.Join(o.AllowedRoots, ","), len(o.AllowedRoots) > 0)
	add("threads", o.Threads, o.Threads != 0)
	add("logger", "set", o.Logger != nil)
	keys := make([]string, 0, len(o.Conf))
	for k := range o.Conf {
		keys = append(keys, k)
	}
	sort.Strings(keys)
	for _, k := range keys {
		add("conf."+k, o.Conf[k], true)
	}
	return strings.Join(parts, " ")
}

// withDefaults is o with the simple defaults filled in.
func (o Options) withDefaults() Options {
	if o.Warehouse == "" {
		o.Warehouse = defaultWarehouse
	}
	if o.Threads == 0 {
		o.Threads = runtime.GOMAXPROCS(0)
	}
	if o.Logger == nil {
		o.Logger = slog.New(slog.DiscardHandler)
	}
	return o
}
