package demo

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/tarn-lake/tarn"
	"github.com/tarn-lake/tarn/cmd/tarn/render"
	"github.com/tarn-lake/tarn/types"
)

// marker is a file that says that a folder was made by the demo and may be removed by it.
const marker = ".tarn-demo"

// Options say where the demo plays and who looks on.
type Options struct {
	Dir      string    // made anew
	Out      io.Writer // for narration and results
	Terminal bool
	Color    bool
	Command  string // how the person runs tarn
}

// Run plays the demo. It fails when a result is not what the data give.
func Run(ctx context.Context, o Options) error {
	start := time.Now()
	d := &demo{Options: o}
	flights, reports, err := d.prepare()
	if err != nil {
		return err
	}
	if d.truth, err = computeTruth(flights, reports); err != nil {
		return err
	}
	db, err := tarn.Open(ctx, tarn.Options{Warehouse: o.Dir, Conf: map[string]string{"spark.sql.session.timeZone": "UTC"}})
	if err != nil {
		return err
	}
	defer db.Close()
	d.session = db.Session()
	for _, step := range []func(context.Context) error{d.load, d.ask, d.merge, d.askAgain, d.history, d.travel, d.files, d.commit, d.hudi} {
		if err := step(ctx); err != nil {
			return err
		}
	}
	d.end(time.Since(start))
	return nil
}

// Clean removes the folder of a demo.
func Clean(dir string) error {
	if _, err := os.Stat(dir); errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if _, err := os.Stat(filepath.Join(dir, marker)); err != nil {
		return fmt.Errorf("%s is not a folder of the demo; --dir names another", dir)
	}
	return os.RemoveAll(dir)
}

type demo struct {
	Options
	session *tarn.Session
	truth   *truth
	step    int
}

// prepare makes the folder with the two files.
func (d *demo) prepare() (flights, reports []byte, err error) {
	if err := Clean(d.Dir); err != nil {
		return nil, nil, err
	}
	if err := os.MkdirAll(d.Dir, 0o777); err != nil {
		return nil, nil, err
	}
	if flights, err = readData("flights.csv"); err != nil {
		return nil, nil, err
	}
	if reports, err = readData("reports.csv"); err != nil {
		return nil, nil, err
	}
	for name, b := range map[string][]byte{marker: nil, "flights.csv": flights, "reports.csv": reports} {
		if err := os.WriteFile(filepath.Join(d.Dir, name), b, 0o666); err != nil {
			return nil, nil, err
		}
	}
	return flights, reports, nil
}

// tell opens a step.
func (d *demo) tell(title, text string) {
	d.step++
	fmt.Fprintf(d.Out, "\n%s\n%s\n", render.Title(fmt.Sprintf("%d. %s", d.step, title), d.Color), text)
}

// run shows a statement, runs it, and shows what it gave, of the named columns only if there are names.
func (d *demo) run(ctx context.Context, sql string, only ...string) ([][]types.Value, *tarn.Receipt, error) {
	fmt.Fprintf(d.Out, "\n%s\n", render.Quiet("  "+strings.ReplaceAll(sql+";", "\n", "\n  "), d.Color))
	rows, err := d.session.Query(ctx, sql)
	if err != nil {
		return nil, nil, err
	}
	defer rows.Close()
	var all [][]types.Value
	for row, err := range rows.All() {
		if err != nil {
			return nil, nil, err
		}
		all = append(all, row)
	}
	if r := rows.Receipt(); r != nil {
		fmt.Fprintf(d.Out, "\n%s\n", r)
		return all, r, nil
	}
	if len(rows.Columns()) == 0 {
		return all, nil, nil
	}
	fmt.Fprintln(d.Out)
	return all, nil, d.show(rows.Columns(), all, only)
}

func (d *demo) show(cols []tarn.Column, all [][]types.Value, only []string) error {
	var at []int
	var shown []tarn.Column
	for i, c := range cols {
		if len(only) == 0 || slices.Contains(only, c.Name) {
			at, shown = append(at, i), append(shown, c)
		}
	}
	table := render.Table{Columns: shown, Rows: func(yield func([]types.Value, error) bool) {
		for _, row := range all {
			part := make([]types.Value, len(at))
			for i, j := range at {
				part[i] = row[j]
			}
			if !yield(part, nil) {
				return
			}
		}
	}}
	return render.Write(d.Out, table, "box", render.Options{Color: d.Color})
}

// check fails when a result is not what the data give.
func check(what string, got, want any) error {
	if g, w := fmt.Sprint(got), fmt.Sprint(want); g != w {
		return fmt.Errorf("wrong result: %s is %s, but must be %s", what, g, w)
	}
	return nil
}
