package demo

import (
	"context"
	"errors"
	"strings"
)

const loadHudi = `CREATE TABLE flights_hudi USING hudi PARTITIONED BY (day)
TBLPROPERTIES (type = 'mor', primaryKey = 'carrier,flight,origin,departs')
AS SELECT * FROM planned`

// hudi loads and merges once more, into a Hudi table.
func (d *demo) hudi(ctx context.Context) error {
	d.tell("The same with Hudi", `A merge-on-read Hudi table of the same flights, which real Hudi reads and writes on. The MERGE writes what changed
into logs beside the files; compaction brings them together later.`)
	_, r, err := d.run(ctx, loadHudi)
	if err != nil {
		return err
	}
	if r == nil {
		return errors.New("wrong result: the load wrote nothing")
	}
	if err := check("the number of rows loaded", r.Inserted, d.truth.totalBefore); err != nil {
		return err
	}
	if _, r, err = d.run(ctx, strings.Replace(merge, "INTO flights ", "INTO flights_hudi ", 1)); err != nil {
		return err
	}
	err = errors.Join(check("the number of rows updated", r.Updated, d.truth.flown), check("the number of rows deleted", r.Deleted, d.truth.cancelled),
		check("the number of rows inserted", r.Inserted, d.truth.added))
	if err != nil {
		return err
	}
	rows, _, err := d.run(ctx, strings.Replace(byDay, "FROM flights ", "FROM flights_hudi ", 1))
	if err != nil {
		return err
	}
	if err := checkDays(rows, d.truth.after); err != nil {
		return err
	}
	rows, _, err = d.run(ctx, "CALL show_commits(table => 'flights_hudi')", "commit_time", "action", "total_files_added", "total_files_updated", "total_records_written")
	return errors.Join(err, check("the number of commits", len(rows), 2))
}
