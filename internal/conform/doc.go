// Package conform grades tarn against recorded answers of Spark.
//
//	golden files (results/**/*.sql.out) ─┐
//	function cases (function/*.json)     ├─▶ Case ─▶ run on a fresh session ─▶ Grade ─▶ Ledger
//	parser cases (plan/, expression/)    ┘
//
// A grade is exact (schema and rows; or error class, SQLSTATE and parameters), rows (the rows alone), class (the
// same error class, or both succeed) or fail. A ledger is the committed list of what was exact; a case in it that
// is not any more is a loss.
package conform
