// Package catalog keeps which tables and schemas exist, by name. What a table holds is the business of its
// format; a catalog entry says only where the table is and of which format.
//
//	catalog ── schema ("default") ── table ──▶ lake.Entry{Format, Location, Bucket}
package catalog
