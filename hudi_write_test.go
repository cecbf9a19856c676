package tarn

import (
	"context"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/tarn-lake/tarn/internal/seed"
)

// modelRow is a row of the table that the model test keeps.
type modelRow struct {
	name string
	ts   int
}

// hudiModel is a Hudi table and what it must hold.
type hudiModel struct {
	s       *Session
	r       *rand.Rand
	rows    map[int]modelRow
	ordered bool // stored rows of greater ts win
	rising  bool // new rows have greater ts than all before
	now     int
}

// TestHudiWritesModel upserts, updates, deletes and merges at random, and compares the table with a model after each statement, for
// every version and type, partitioned or not.
func TestHudiWritesModel(t *testing.T) {
	numbers := seed.Of(t)
	steps := 10
	if testing.Short() {
		steps = 4
	}
	for _, version := range []int{5, 6, 8, 9} {
		for _, kind := range []string{"cow", "mor"} {
			for _, partition := range []string{"", "PARTITIONED BY (p)"} {
				t.Run(fmt.Sprintf("%d %s %s", version, kind, partition), func(t *testing.T) {
					db := Opened(t, Options{Warehouse: t.TempDir()})
					m := &hudiModel{s: db.Session(), r: rand.New(rand.NewPCG(numbers, uint64(version))), rows: map[int]modelRow{},
						ordered: version >= 8, rising: version < 8 && kind == "mor"}
					m.exec(t, fmt.Sprintf("CREATE TABLE t (id INT, name STRING, ts BIGINT, p STRING) USING hudi %s TBLPROPERTIES (primaryKey='id', "+
						"preCombineField='ts', type='%s', 'hoodie.write.table.version'='%d')", partition, kind, version))
					for range steps {
						m.step(t)
						m.check(t)
					}
				})
			}
		}
	}
}

func (m *hudiModel) exec(t *testing.T, sql string) {
	t.Helper()
	if _, err := m.s.Exec(t.Context(), sql); err != nil {
		t.Fatalf("%s: %v", sql, err)
	}
}

// batch are rows to upsert, some of which are there, and maybe some twice.
func (m *hudiModel) batch() (values []string, fresh map[int]modelRow) {
	fresh = map[int]modelRow{}
	for range 1 + m.r.IntN(6) {
		id, ts := m.r.IntN(12), m.r.IntN(100)
		if m.rising {
			m.now++
			ts = m.now
		}
		row := modelRow{fmt.Sprintf("n%d", m.r.IntN(1000)), ts}
		values = append(values, fmt.Sprintf("(%d, '%s', %dL, '%s')", id, row.name, row.ts, folderOf(id)))
		if old, twice := fresh[id]; !twice || row.ts >= old.ts {
			fresh[id] = row
		}
	}
	return values, fresh
}

func folderOf(id int) string { return string(rune('x' + id%2)) }

func (m *hudiModel) put(fresh map[int]modelRow) {
	for id, row := range fresh {
		if old, ok := m.rows[id]; ok && m.ordered && row.ts < old.ts {
			continue
		}
		m.rows[id] = row
	}
}

func (m *hudiModel) step(t *testing.T) {
	t.Helper()
	switch k := m.r.IntN(4); m.r.IntN(5) {
	case 0, 1:
		values, fresh := m.batch()
		m.exec(t, "INSERT INTO t VALUES "+strings.Join(values, ", "))
		m.put(fresh)
	case 2:
		m.exec(t, fmt.Sprintf("UPDATE t SET name = concat(name, '!') WHERE id %% 4 = %d", k))
		for id, row := range m.rows {
			if id%4 == k {
				m.rows[id] = modelRow{row.name + "!", row.ts}
			}
		}
	case 3:
		m.exec(t, fmt.Sprintf("DELETE FROM t WHERE id %% 4 = %d", k))
		maps.DeleteFunc(m.rows, func(id int, _ modelRow) bool { return id%4 == k })
	case 4:
		_, fresh := m.batch()
		var values []string
		for id, row := range fresh {
			values = append(values, fmt.Sprintf("(%d, '%s', %dL, '%s')", id, row.name, row.ts, folderOf(id)))
		}
		m.exec(t, fmt.Sprintf("MERGE INTO t USING (SELECT * FROM VALUES %s AS v(id, name, ts, p)) s ON t.id = s.id "+
			"WHEN MATCHED AND s.id %% 4 = %d THEN DELETE WHEN MATCHED THEN UPDATE SET * WHEN NOT MATCHED THEN INSERT *", strings.Join(values, ", "), k))
		for id := range fresh {
			if _, there := m.rows[id]; there && id%4 == k {
				delete(m.rows, id)
				delete(fresh, id)
			}
		}
		m.put(fresh)
	}
}

func (m *hudiModel) check(t *testing.T) {
	t.Helper()
	var want []string
	for _, id := range slices.Sorted(maps.Keys(m.rows)) {
		want = append(want, fmt.Sprintf("%d %s %d %s %d", id, m.rows[id].name, m.rows[id].ts, folderOf(id), id))
	}
	got := textRows(t, m.s, "SELECT concat_ws(' ', id, name, ts, p, _hoodie_record_key) FROM t ORDER BY id")
	if !slices.Equal(got, want) {
		t.Fatalf("the table has\n%s\nand not\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

// textRows are the rows of a query of one column of texts.
func textRows(t *testing.T, s *Session, sql string) (out []string) {
	t.Helper()
	rows, err := s.Query(context.Background(), sql)
	if err != nil {
		t.Fatalf("%s: %v", sql, err)
	}
	defer rows.Close()
	for {
		b, err := rows.NextBatch()
		if err != nil {
			return out
		}
		for i := range int(b.NumRows()) {
			out = append(out, b.Column(0).ValueStr(i))
		}
		b.Release()
	}
}
