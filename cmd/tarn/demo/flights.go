package demo

import (
	"bytes"
	"compress/gzip"
	"embed"
	"encoding/csv"
	"io"
	"strings"
)

//go:generate go run cut.go ../../../../shared/data/nycflights13/flights.csv.gz

//go:embed data/*.gz
var data embed.FS

// columns are those of both files; reports.csv has one more, report.
const columns = "day DATE, carrier STRING, flight INT, tailnum STRING, origin STRING, dest STRING,\n" +
	"  departs STRING, dep_delay INT, arr_delay INT, distance INT"

// readData gives an embedded file, unpacked.
func readData(name string) ([]byte, error) {
	f, err := data.Open("data/" + name + ".gz")
	if err != nil {
		return nil, err
	}
	defer f.Close()
	z, err := gzip.NewReader(f)
	if err != nil {
		return nil, err
	}
	return io.ReadAll(z)
}

// truth is what must come out, computed without tarn.
type truth struct {
	before, after           map[string]count // by day
	flown, cancelled, added int64
	cancelledBy             map[string]int64 // by carrier
	totalBefore, totalAfter int64
}

// count says how many flights there are, and how many have a delay.
type count struct{ flights, departed int64 }

func computeTruth(flights, reports []byte) (*truth, error) {
	t := &truth{before: map[string]count{}, after: map[string]count{}, cancelledBy: map[string]int64{}}
	planned := map[string]string{} // delay by key
	if err := eachRow(flights, func(r []string) {
		planned[rowKey(r)] = r[7]
		t.before[r[0]] = t.before[r[0]].with(r[7])
	}); err != nil {
		return nil, err
	}
	t.totalBefore = int64(len(planned))
	if err := eachRow(reports, func(r []string) {
		switch r[10] {
		case "cancelled":
			t.cancelled++
			t.cancelledBy[r[1]]++
			delete(planned, rowKey(r))
		case "flown":
			t.flown++
			planned[rowKey(r)] = r[7]
		default:
			t.added++
			planned[rowKey(r)] = r[7]
		}
	}); err != nil {
		return nil, err
	}
	t.totalAfter = int64(len(planned))
	for key, delay := range planned {
		day, _, _ := strings.Cut(key, "|")
		t.after[day] = t.after[day].with(delay)
	}
	return t, nil
}

func (c count) with(delay string) count {
	c.flights++
	if delay != "" {
		c.departed++
	}
	return c
}

// rowKey is what tells a flight from all others: day, carrier, flight, origin and time.
func rowKey(r []string) string { return strings.Join([]string{r[0], r[1], r[2], r[4], r[6]}, "|") }

func eachRow(b []byte, f func([]string)) error {
	r := csv.NewReader(bytes.NewReader(b))
	if _, err := r.Read(); err != nil {
		return err
	}
	for {
		row, err := r.Read()
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
		f(row)
	}
}
