package tarn_test

import (
	"context"
	"fmt"
	"log"
	"os"

	"github.com/tarn-lake/tarn"
)

// Example_readme is the program of the README; a test of cmd/tarn keeps them the same.
func Example_readme() {
	dir, err := os.MkdirTemp("", "tarn-example-")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir)

	ctx := context.Background()
	db, err := tarn.Open(ctx, tarn.Options{Warehouse: dir})
	if err != nil {
		log.Fatal(err)
	}
	defer db.Close()
	s := db.Session()
	if _, err := s.Exec(ctx, "CREATE TABLE trips (id BIGINT, city STRING, price DECIMAL(8,2))"); err != nil {
		log.Fatal(err)
	}
	receipt, err := s.Exec(ctx, "INSERT INTO trips VALUES (1, 'Oslo', 12.50), (2, ?, 7)", "Bergen")
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println("version", receipt.Version, "has", receipt.Inserted, "new rows")
	rows, err := s.Query(ctx, "SELECT city, price FROM trips ORDER BY id")
	if err != nil {
		log.Fatal(err)
	}
	for rows.Next() {
		var city, price string
		if err := rows.Scan(&city, &price); err != nil {
			log.Fatal(err)
		}
		fmt.Println(city, price)
	}
	if err := rows.Err(); err != nil {
		log.Fatal(err)
	}
	// Output:
	// version 1 has 2 new rows
	// Oslo 12.50
	// Bergen 7.00
}
