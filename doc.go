// Package tarn runs Spark SQL on Delta Lake and Hudi tables in one process, without a JVM.
//
//	db, err := tarn.Open(ctx, tarn.Options{Warehouse: "wh"})
//	s := db.Session()
//	rows, err := s.Query(ctx, "SELECT day, count(*) FROM trips GROUP BY day")
//	for row, err := range rows.All() { … }
//
// What a statement passes through:
//
//	text ─syntax─▶ tree ─plan─▶ rel tree, or change of a table ─engine─▶ Arrow batches ─▶ Rows
//	                │                        └─lake─▶ commit ─▶ Receipt
//	                └─ Session: settings, current schema, temporary views, variables
//
// A [DB] belongs to one warehouse and may be shared by goroutines; so may its engine and its caches. A
// [Session] is one user's conversation: its settings, current schema and temporary views. All failures are
// an [*Error] with Spark's error class and SQLSTATE.
package tarn
