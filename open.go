package tarn

import (
	"context"
	"maps"
	"time"

	"github.com/tarn-lake/tarn/catalog"
	"github.com/tarn-lake/tarn/engine/duckdb"
	"github.com/tarn-lake/tarn/lake"
	"github.com/tarn-lake/tarn/lake/delta"
	"github.com/tarn-lake/tarn/lake/files"
	"github.com/tarn-lake/tarn/lake/hudi"
)

// wire makes what the options leave open: the one place that knows which engine, catalog and formats there are.
func (db *DB) wire(ctx context.Context) error {
	if db.opts.Bucket == nil {
		db.opts.Bucket = localBucket
	}
	if err := db.wireEngine(); err != nil {
		return err
	}
	if err := db.wireCatalogs(); err != nil {
		return err
	}
	formats := files.Formats()
	formats["delta"] = &delta.Format{AllowedRoots: db.opts.roots(), Zone: db.zone()}
	formats["hudi"] = &hudi.Format{Zone: db.zone()}
	maps.Copy(formats, db.opts.Formats)
	db.opts.Formats = formats
	return nil
}

// zone is the time zone that sessions start with: old writers of Delta left partition values, and those of Hudi instants, in the zone
// of their session.
func (db *DB) zone() *time.Location {
	name := db.opts.Conf["spark.sql.session.timeZone"]
	if name == "" {
		name = localZone()
	}
	zone, err := time.LoadLocation(name)
	if err != nil {
		return nil
	}
	return zone
}

func (db *DB) wireEngine() error {
	if db.opts.Engine != nil {
		db.engine = db.opts.Engine
		return nil
	}
	e, err := duckdb.Open(duckdb.Options{Memory: db.opts.Memory, Threads: db.opts.Threads,
		Spill: db.opts.SpillDir, SpillQuota: db.opts.SpillQuota})
	if err != nil {
		return err
	}
	db.engine = e
	db.closers = append(db.closers, e.Close)
	return nil
}

func (db *DB) wireCatalogs() error {
	catalogs := maps.Clone(db.opts.Catalogs)
	if catalogs == nil {
		catalogs = map[string]catalog.Catalog{}
	}
	db.opts.Catalogs = catalogs
	if catalogs[DefaultCatalog] != nil {
		return nil
	}
	w, err := catalog.NewWarehouse(localPath(db.opts.Warehouse), catalog.Opener(db.opts.Bucket))
	if err != nil {
		return err
	}
	catalogs[DefaultCatalog] = w
	db.closers = append(db.closers, w.Close)
	return nil
}

var _ lake.Format = (*delta.Format)(nil)
