package tarn_test

import (
	"context"
	"errors"
	"fmt"
	"log"
	"os"
	"path/filepath"

	"github.com/tarn-lake/tarn"
)

// open makes a database in a fresh folder; done removes it.
func open() (db *tarn.DB, done func()) {
	dir, err := os.MkdirTemp("", "tarn-example-*")
	if err != nil {
		log.Fatal(err)
	}
	db, err = tarn.Open(context.Background(), tarn.Options{Warehouse: dir, Conf: map[string]string{"spark.sql.session.timeZone": "UTC"}})
	if err != nil {
		log.Fatal(err)
	}
	return db, func() { db.Close(); os.RemoveAll(dir) }
}

func Example() {
	ctx := context.Background()
	db, done := open()
	defer done()
	s := db.Session()

	for st, err := range s.Run(ctx, `
		CREATE TABLE trips (id BIGINT, day DATE, km DOUBLE) USING delta PARTITIONED BY (day);
		INSERT INTO trips VALUES (1, DATE'2026-11-29', 3.5), (2, DATE'2026-11-30', 8.0);
		MERGE INTO trips t USING (SELECT 2 AS id, DATE'2026-11-30' AS day, 9.0D AS km) s ON t.id = s.id
			WHEN MATCHED THEN UPDATE SET * WHEN NOT MATCHED THEN INSERT *`) {
		if err != nil {
			log.Fatal(err)
		}
		if r := st.Rows.Receipt(); r != nil {
			fmt.Println(r.Operation, "version", r.Version, "updated", r.Updated, "inserted", r.Inserted)
		}
	}
	rows, err := s.Query(ctx, "SELECT id, km FROM trips ORDER BY id")
	if err != nil {
		log.Fatal(err)
	}
	defer rows.Close()
	for rows.Next() {
		var id int
		var km float64
		if err := rows.Scan(&id, &km); err != nil {
			log.Fatal(err)
		}
		fmt.Println(id, km)
	}
	if err := rows.Err(); err != nil {
		log.Fatal(err)
	}
	// Output:
	// CREATE TABLE version 0 updated 0 inserted 0
	// WRITE version 1 updated 0 inserted 2
	// MERGE version 2 updated 1 inserted 0
	// 1 3.5
	// 2 9
}

func ExampleSession_Query_arguments() {
	ctx := context.Background()
	db, done := open()
	defer done()
	rows, err := db.Session().Query(ctx, "SELECT ? + 1, upper(:word)", 41, tarn.Named("word", "tarn"))
	var e *tarn.Error
	if errors.As(err, &e) {
		fmt.Println(e.Class) // positional and named arguments do not go together
		rows, err = db.Session().Query(ctx, "SELECT :n + 1, upper(:word)", tarn.Named("n", 41), tarn.Named("word", "tarn"))
	}
	if err != nil {
		log.Fatal(err)
	}
	for row, err := range rows.All() {
		if err != nil {
			log.Fatal(err)
		}
		fmt.Println(row[0], row[1])
	}
	// Output:
	// 42 TARN
}

func ExampleRows_NextBatch() {
	ctx := context.Background()
	db, done := open()
	defer done()
	rows, err := db.Session().Query(ctx, "SELECT id, id * id AS square FROM range(4)")
	if err != nil {
		log.Fatal(err)
	}
	defer rows.Close()
	n := int64(0)
	for {
		batch, err := rows.NextBatch() // an Arrow record batch, io.EOF at the end
		if err != nil {
			break
		}
		n += batch.NumRows()
	}
	fmt.Println(rows.Columns()[1].Name, rows.Columns()[1].Type, n, rows.Err())
	// Output: square bigint 4 <nil>
}

func ExampleError() {
	ctx := context.Background()
	db, done := open()
	defer done()
	_, err := db.Session().Query(ctx, "SELECT price FROM VALUES (1) AS t(prize)")
	var e *tarn.Error
	if errors.As(err, &e) {
		fmt.Println(e.Class, e.SQLState, e.Line, e.Column)
		fmt.Println(e.Detail())
	}
	// Output:
	// UNRESOLVED_COLUMN.WITH_SUGGESTION 42703 1 7
	// [UNRESOLVED_COLUMN.WITH_SUGGESTION] There is no column or variable `price`; there are `prize`. SQLSTATE: 42703; line 1 pos 7
	//   SELECT price FROM VALUES (1) AS t(prize)
	//          ^^^^^
}

func ExampleSession_Write() {
	ctx := context.Background()
	db, done := open()
	defer done()
	s := db.Session()
	path := filepath.Join(db.Options().Warehouse, "events")

	w := s.Write("SELECT id, id % 2 AS p FROM range(4)").Format("delta").PartitionBy("p")
	first, err := w.Save(ctx, path)
	if err != nil {
		log.Fatal(err)
	}
	_, err = w.Save(ctx, path) // there is a table now
	var e *tarn.Error
	fmt.Println(first.Inserted, errors.As(err, &e), e.Class)

	more, err := s.Write("SELECT 10L AS id, 0L AS p, 'x' AS note").Mode(tarn.Append).Option("mergeSchema", "true").Save(ctx, path)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(more.Operation, more.Version, more.Inserted)
	over, err := s.Write("SELECT 7L AS id, 1L AS p").Mode(tarn.Overwrite).Option("replaceWhere", "p = 1").Save(ctx, path)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(over.Version, over.Inserted)
	// Output:
	// 4 true DELTA_PATH_EXISTS
	// WRITE 1 1
	// 2 1
}

func ExampleWriter_InsertInto() {
	ctx := context.Background()
	db, done := open()
	defer done()
	s := db.Session()
	if _, err := s.Write("SELECT 1L AS id, 'Oslo' AS city").SaveAsTable(ctx, "trips"); err != nil {
		log.Fatal(err)
	}
	// InsertInto matches columns by position, SaveAsTable by name.
	byPosition, err := s.Write("SELECT 2L, ?", "Bergen").InsertInto(ctx, "trips")
	if err != nil {
		log.Fatal(err)
	}
	byName, err := s.Write("SELECT 'Voss' AS city, 3L AS id").Mode(tarn.Append).SaveAsTable(ctx, "trips")
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(byPosition.Version, byPosition.Inserted, byName.Version, byName.Inserted)
	// Output:
	// 1 1 2 1
}

// A batch of changes is upserted into a Hudi table: of two rows with one key the newer one counts, by the field ts.
func ExampleWriter_hudi() {
	db, done := open()
	defer done()
	ctx := context.Background()
	s := db.Session()
	for _, changes := range []string{
		"SELECT * FROM VALUES (1, 'new', 1L), (2, 'new', 1L) AS v(id, state, ts)",
		"SELECT * FROM VALUES (1, 'paid', 2L), (1, 'sent', 3L), (2, 'late', 0L) AS v(id, state, ts)",
	} {
		_, err := s.Write(changes).Format("hudi").Mode("append").
			Option("hoodie.datasource.write.table.type", "MERGE_ON_READ").
			Option("hoodie.datasource.write.recordkey.field", "id").
			Option("hoodie.datasource.write.precombine.field", "ts").
			Option("hoodie.datasource.write.payload.class", "org.apache.hudi.common.model.DefaultHoodieRecordPayload").
			SaveAsTable(ctx, "orders")
		if err != nil {
			log.Fatal(err)
		}
	}
	rows, err := s.Query(ctx, "SELECT id, state FROM orders ORDER BY id")
	if err != nil {
		log.Fatal(err)
	}
	for row, err := range rows.All() {
		if err != nil {
			log.Fatal(err)
		}
		fmt.Println(row[0], row[1])
	}
	// Output:
	// 1 sent
	// 2 new
}
