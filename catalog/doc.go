// Package catalog keeps which tables and schemas exist, by name. What a table holds is the business of its
// format; a catalog entry says only where the table is and of which format.
//
//	catalog ── schema ("default") ── table ──▶ lake.Entry{Format, Location, Bucket}
//
// [Memory] forgets all when the process ends. [Warehouse] keeps the names in one SQLite file beside the tables:
//
//	warehouse/
//	  _tarn/catalog.db    schemas(key, name, location, …)  tables(schema, key, name, format, location, …)
//	  trips/              a managed table of the schema "default"
//	  sales.db/orders/    one of the schema "sales"
//
// A key is a name in lower case: names are compared by their keys and shown as they were written. Package
// catalogtest holds the tests that every catalog passes.
package catalog
