package demo

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/tarn-lake/tarn/types"
)

const byDay = `SELECT day, count(*) AS flights, count(dep_delay) AS departed, round(avg(dep_delay), 1) AS avg_delay
FROM flights GROUP BY day ORDER BY day`

const merge = `MERGE INTO flights AS f
USING reports AS r
ON f.day = r.day AND f.carrier = r.carrier AND f.flight = r.flight
  AND f.origin = r.origin AND f.departs = r.departs
WHEN MATCHED AND r.report = 'cancelled' THEN DELETE
WHEN MATCHED THEN UPDATE SET tailnum = r.tailnum, dep_delay = r.dep_delay, arr_delay = r.arr_delay
WHEN NOT MATCHED THEN INSERT (day, carrier, flight, tailnum, origin, dest, departs, dep_delay, arr_delay, distance)
  VALUES (r.day, r.carrier, r.flight, r.tailnum, r.origin, r.dest, r.departs, r.dep_delay, r.arr_delay, r.distance)`

const cancelled = `SELECT b.carrier, count(*) AS cancelled
FROM flights VERSION AS OF 0 AS b LEFT ANTI JOIN flights AS f
ON b.day = f.day AND b.carrier = f.carrier AND b.flight = f.flight AND b.origin = f.origin AND b.departs = f.departs
GROUP BY b.carrier ORDER BY cancelled DESC, carrier LIMIT 5`

func (d *demo) path(name string) string { return filepath.ToSlash(filepath.Join(d.Dir, name)) }

// view names the rows of a csv file.
func (d *demo) view(ctx context.Context, name, file, more string) error {
	_, _, err := d.run(ctx, fmt.Sprintf("CREATE TEMPORARY VIEW %s (%s%s)\nUSING csv OPTIONS (path '%s', header 'true')", name, columns, more, d.path(file)))
	return err
}

func (d *demo) load(ctx context.Context) error {
	d.tell("Load", `Friday, 8 February 2013, noon: a blizzard comes up to New York. flights.csv holds this week's flights, real ones;
those that have not left yet have no delays. We make a Delta table of them, one folder a day.`)
	if err := d.view(ctx, "planned", "flights.csv", ""); err != nil {
		return err
	}
	_, r, err := d.run(ctx, "CREATE TABLE flights USING delta PARTITIONED BY (day)\nAS SELECT * FROM planned")
	if err != nil {
		return err
	}
	if r == nil {
		return errors.New("wrong result: the load wrote nothing")
	}
	return errors.Join(check("the version", r.Version, 0), check("the number of rows loaded", r.Inserted, d.truth.totalBefore))
}

func (d *demo) ask(ctx context.Context) error {
	d.tell("Query", "Half of Friday and all of Saturday are still to come:")
	rows, _, err := d.run(ctx, byDay)
	if err != nil {
		return err
	}
	return checkDays(rows, d.truth.before)
}

func (d *demo) merge(ctx context.Context) error {
	d.tell("Merge", `Sunday, midnight: reports.csv says how each flight went. Late corrections, cancellations and Sunday's new flights
go into the table as one transaction: others see all of it or nothing.`)
	if err := d.view(ctx, "reports", "reports.csv", ",\n  report STRING"); err != nil {
		return err
	}
	_, r, err := d.run(ctx, merge)
	if err != nil {
		return err
	}
	if r == nil {
		return errors.New("wrong result: the merge wrote nothing")
	}
	return errors.Join(check("the version", r.Version, 1), check("the number of rows updated", r.Updated, d.truth.flown),
		check("the number of rows deleted", r.Deleted, d.truth.cancelled), check("the number of rows inserted", r.Inserted, d.truth.added))
}

func (d *demo) askAgain(ctx context.Context) error {
	d.tell("Query again", "Most flights of Friday afternoon and Saturday never left. Those days are corrected, Sunday is new:")
	rows, _, err := d.run(ctx, byDay)
	if err != nil {
		return err
	}
	return checkDays(rows, d.truth.after)
}

func (d *demo) history(ctx context.Context) error {
	d.tell("History", "The table knows what was done to it (these are some of the columns):")
	rows, _, err := d.run(ctx, "DESCRIBE HISTORY flights", "version", "timestamp", "operation", "readVersion", "isolationLevel")
	if err != nil {
		return err
	}
	return check("the length of the history", len(rows), 2)
}

func (d *demo) travel(ctx context.Context) error {
	d.tell("The version before", "What the MERGE deleted is still in version 0. So: who cancelled most?")
	rows, _, err := d.run(ctx, cancelled)
	if err != nil {
		return err
	}
	if err := check("the number of airlines", len(rows), 5); err != nil {
		return err
	}
	for _, row := range rows {
		if err := check(fmt.Sprintf("the number of flights that %v cancelled", row[0]), row[1], d.truth.cancelledBy[row[0].(string)]); err != nil {
			return err
		}
	}
	rows, _, err = d.run(ctx, "SELECT count(*) AS before FROM flights VERSION AS OF 0")
	if err != nil {
		return err
	}
	return check("the number of rows in version 0", rows[0][0], d.truth.totalBefore)
}

func (d *demo) files(context.Context) error {
	d.tell("Files", "A Delta table is a folder. Only the days that the MERGE touched got new files; the old ones wait for readers of version 0:\n")
	root := filepath.Join(d.Dir, "flights")
	type folder struct{ files, bytes int64 }
	folders := map[string]folder{}
	err := filepath.WalkDir(root, func(path string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() || strings.HasPrefix(e.Name(), ".") {
			return err
		}
		info, err := e.Info()
		if err != nil {
			return err
		}
		dir, err := filepath.Rel(root, filepath.Dir(path))
		f := folders[dir]
		folders[dir] = folder{f.files + 1, f.bytes + info.Size()}
		return err
	})
	if err != nil {
		return err
	}
	fmt.Fprintf(d.Out, "  %s/\n", d.path("flights"))
	for _, dir := range slices.Sorted(maps.Keys(folders)) {
		f, s := folders[dir], "s"
		if f.files == 1 {
			s = ""
		}
		fmt.Fprintf(d.Out, "    %-18s %2d file%-1s %7.1f kB\n", filepath.ToSlash(dir)+"/", f.files, s, float64(f.bytes)/1000)
	}
	return errors.Join(check("the number of folders", len(folders), 1+len(d.truth.after)), check("the number of Monday's files", folders["day=2013-02-04"].files, 1))
}

func (d *demo) commit(context.Context) error {
	name := "flights/_delta_log/00000000000000000001.json"
	d.tell("Commit", "The MERGE is this one file, which any Delta reader understands (long lines are cut):\n")
	b, err := os.ReadFile(filepath.Join(d.Dir, filepath.FromSlash(name)))
	if err != nil {
		return err
	}
	fmt.Fprintf(d.Out, "  %s\n", d.path(name))
	lines := bufio.NewScanner(bytes.NewReader(b))
	lines.Buffer(nil, 1<<24)
	adds := 0
	for lines.Scan() {
		line := []rune(lines.Text())
		if len(line) > 116 {
			line = append(line[:115], '…')
		}
		if strings.HasPrefix(string(line), `{"add"`) {
			adds++
		}
		fmt.Fprintf(d.Out, "    %s\n", string(line))
	}
	if adds == 0 {
		return errors.New("wrong result: the commit adds no file")
	}
	return lines.Err()
}

func (d *demo) end(took time.Duration) {
	fmt.Fprintf(d.Out, "\nAll results were checked against the data: %d flights before, %d after. It took %.1f s.\n", d.truth.totalBefore, d.truth.totalAfter, took.Seconds())
	fmt.Fprintf(d.Out, "\nGo on with your own data:\n\n  %s\n  %s\n  %s\n\n",
		d.Command+" sql -e 'CREATE TABLE delta.`./mine` AS SELECT * FROM parquet.`mine.parquet`'",
		d.Command+" sql -e 'MERGE INTO delta.`./mine` t USING parquet.`fixes.parquet` s ON t.id = s.id WHEN MATCHED THEN UPDATE SET * WHEN NOT MATCHED THEN INSERT *'",
		d.Command+" -w "+d.Dir+"     # a prompt, on the tables of this demo")
}

// checkDays compares the rows of byDay with what must be there.
func checkDays(rows [][]types.Value, want map[string]count) error {
	if err := check("the number of days", len(rows), len(want)); err != nil {
		return err
	}
	for _, row := range rows {
		days, _ := row[0].(int32)
		day := time.Unix(int64(days)*86400, 0).UTC().Format(time.DateOnly)
		if err := check("what "+day+" has", fmt.Sprint(row[1], row[2]), fmt.Sprint(want[day].flights, want[day].departed)); err != nil {
			return err
		}
	}
	return nil
}
