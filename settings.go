package tarn

import (
	"os"
	"strings"
	"time"
)

// defaults are the settings that tarn reads, with the values that they have when nobody sets them.
var defaults = map[string]string{
	"spark.sql.ansi.enabled":                                      "true",
	"spark.sql.caseSensitive":                                     "false",
	"spark.sql.catalog.spark_catalog.defaultDatabase":             defaultSchema,
	"spark.sql.defaultCatalog":                                    DefaultCatalog,
	"spark.sql.globalTempDatabase":                                globalSchema,
	"spark.sql.sources.default":                                   "delta",
	"spark.sql.sources.partitionOverwriteMode":                    "STATIC",
	"spark.sql.storeAssignmentPolicy":                             "ANSI",
	"spark.sql.timestampType":                                     "TIMESTAMP_LTZ",
	"spark.databricks.delta.schema.autoMerge.enabled":             "false",
	"tarn.merge.multipleMatches":                                  "format",
	"spark.databricks.delta.retentionDurationCheck.enabled":       "true",
	"spark.databricks.delta.replaceWhere.constraintCheck.enabled": "true",
}

// setting is the value of a key: as set, else its default, else "".
func (s *Session) setting(key string) string {
	if v, ok := s.conf[key]; ok {
		return v
	}
	switch key {
	case "spark.sql.session.timeZone":
		return localZone()
	case "spark.sql.warehouse.dir":
		return s.db.opts.Warehouse
	}
	return defaults[key]
}

func (s *Session) enabled(key string) bool { return strings.EqualFold(s.setting(key), "true") }

// localZone is the name of the machine's time zone.
func localZone() string {
	if tz := os.Getenv("TZ"); tz != "" {
		if _, err := time.LoadLocation(tz); err == nil {
			return tz
		}
	}
	if name := time.Local.String(); name != "Local" {
		return name
	}
	if link, err := os.Readlink("/etc/localtime"); err == nil {
		if _, name, ok := strings.Cut(link, "zoneinfo/"); ok {
			return name
		}
	}
	return "UTC"
}
