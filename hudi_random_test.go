package tarn_test

import (
	"context"
	"flag"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/tarn-lake/tarn"
)

var (
	hudiSeed  = flag.Uint64("hudi.seed", 1, "seed of the first list of statements of TestHudiRandomStatements")
	hudiSteps = flag.Int("hudi.steps", 6, "length of each list of statements")
	hudiRuns  = flag.Int("hudi.runs", 1, "how many lists run for each kind of table")
)

// TestHudiRandomStatements runs random statements and table services on Hudi tables of each kind, and compares the rows after each with
// those of a map on which the same was done; in the end also those of each instant, the changes since each, and the change rows of each,
// which most tables log in one of the ways that there are.
func TestHudiRandomStatements(t *testing.T) {
	db := tarn.Opened(t, tarn.Options{Warehouse: t.TempDir(), Memory: 512 << 20, Conf: map[string]string{"spark.sql.session.timeZone": "UTC"}})
	for run := range *hudiRuns {
		for i, version := range []int{5, 6, 8, 9} {
			for j, kind := range []string{"cow", "mor"} {
				for k, partitioned := range []bool{false, true} {
					for l, metadata := range []bool{false, true} {
						seed := *hudiSeed + uint64(run)
						name := fmt.Sprintf("v%d_%s_partitioned_%t_metadata_%t_seed_%d", version, kind, partitioned, metadata, seed)
						t.Run(name, func(t *testing.T) {
							stream := uint64(i<<3 | j<<2 | k<<1 | l)
							m := &hudiModel{t: t, s: db.Session(), name: name, rand: rand.New(rand.NewPCG(seed, stream)), version: version, partitioned: partitioned, mor: kind == "mor", rows: map[hudiKey]hudiRow{}}
							m.create(kind, metadata)
							for range *hudiSteps {
								m.step()
							}
							m.checkPast()
						})
					}
				}
			}
		}
	}
}

// hudiKey is what names a row: its id, and in a partitioned table its partition.
type hudiKey struct {
	id   int
	part string
}

// hudiRow is the rest of a row.
type hudiRow struct {
	name  string
	value string // a BIGINT, or NULL
	ts    int
}

// hudiModel is a table, and what it must hold.
type hudiModel struct {
	t           *testing.T
	s           *tarn.Session
	name        string
	rand        *rand.Rand
	partitioned bool
	version     int
	mor         bool
	virtual     bool // keys are not stored, and no changes can be asked for
	clock       int  // the newest ordering value
	cleaned     int  // how many instants of past may be cleaned up
	rows        map[hudiKey]hudiRow
	past        []hudiPast
	log         []string
}

// hudiPast is what a table held at an instant.
type hudiPast struct {
	instant int64
	rows    []string
}

func (m *hudiModel) create(kind string, metadata bool) {
	by := ""
	if m.partitioned {
		by = "PARTITIONED BY (part)"
	}
	more := ""
	if m.virtual = m.rand.IntN(4) == 0; m.virtual {
		more += ", 'hoodie.populate.meta.fields'='false'"
	}
	if mode := []string{"", "op_key_only", "data_before", "data_before_after"}[m.rand.IntN(4)]; m.version >= 6 && mode != "" {
		more += fmt.Sprintf(", 'hoodie.table.cdc.enabled'='true', 'hoodie.table.cdc.supplemental.logging.mode'='%s'", mode)
	}
	if m.version < 8 { // where Hudi has the ordering values of stored rows count by this payload alone
		more += ", 'hoodie.compaction.payload.class'='org.apache.hudi.common.model.DefaultHoodieRecordPayload'"
	}
	m.run(fmt.Sprintf(`CREATE TABLE {t} (id INT, name STRING, value BIGINT, ts BIGINT, part STRING) USING hudi %s
		TBLPROPERTIES (type='%s', primaryKey='id', preCombineField='ts', 'hoodie.write.table.version'='%d'%s)`, by, kind, m.version, more))
	m.run(fmt.Sprintf("SET hoodie.metadata.enable=%t", metadata))
	if metadata != m.partitioned {
		m.run("SET hoodie.index.type=BLOOM")
	}
	m.run("SET hoodie.clean.automatic=false")
	m.run("SET hoodie.spark.sql.insert.into.operation=upsert")
}

// run runs a statement and keeps what the table must hold behind it.
func (m *hudiModel) run(q string) {
	m.t.Helper()
	q = strings.ReplaceAll(q, "{t}", m.name)
	m.log = append(m.log, q)
	r, err := m.s.Exec(context.Background(), q)
	if err != nil {
		m.fail("%v", err)
	}
	if r != nil && r.Version > 0 {
		m.past = append(m.past, hudiPast{r.Version, m.want()})
	}
}

func (m *hudiModel) fail(format string, args ...any) {
	m.t.Helper()
	m.t.Fatalf("%s\nafter:\n%s", fmt.Sprintf(format, args...), strings.Join(m.log, ";\n"))
}

// want is the rows that the table must hold, as text.
func (m *hudiModel) want() []string {
	var out []string
	for k, r := range m.rows {
		out = append(out, strings.Join([]string{strconv.Itoa(k.id), r.name, r.value, strconv.Itoa(r.ts), k.part}, " "))
	}
	slices.Sort(out)
	return out
}

const hudiColumns = "concat_ws(' ', id, name, coalesce(CAST(value AS STRING), 'NULL'), ts, part)"

// check compares what a query gives with want.
func (m *hudiModel) check(from string, want []string) {
	m.t.Helper()
	q := "SELECT " + hudiColumns + " FROM " + strings.ReplaceAll(from, "{t}", m.name)
	rows, err := m.s.Query(context.Background(), q)
	if err != nil {
		m.fail("%s: %v", q, err)
	}
	defer rows.Close()
	got := []string{}
	for row, err := range rows.All() {
		if err != nil {
			m.fail("%s: %v", q, err)
		}
		got = append(got, fmt.Sprint(row[0]))
	}
	slices.Sort(got)
	if !slices.Equal(got, want) {
		m.fail("%s\ngave %d rows: %q\nwant %d rows: %q", q, len(got), got, len(want), want)
	}
}

// checkPast compares the rows of each instant, and the rows that changed since, with what was there.
func (m *hudiModel) checkPast() {
	for i, p := range m.past {
		if i < m.cleaned && m.isCleaned(p.instant) {
			continue
		}
		m.check(fmt.Sprintf("{t} TIMESTAMP AS OF '%d'", p.instant), p.rows)
		m.check(fmt.Sprintf("{t} VERSION AS OF %d", p.instant), p.rows)
	}
	if m.virtual {
		return
	}
	if m.cleaned == 0 {
		m.checkChangeRows()
	}
	for _, row := range texts(m.t, m.s, fmt.Sprintf("CALL show_commits(table => '%s', limit => 1000)", m.name)) {
		if times := strings.Fields(strings.TrimPrefix(row, "[")); m.cleaned == 0 {
			m.checkChanges(times[0], times[1])
		}
	}
}

// checkChangeRows has the change rows of each instant lead from the rows before it to those behind it.
func (m *hudiModel) checkChangeRows() {
	column := func(of string) string {
		field := func(name string) string { return fmt.Sprintf("get_json_object(%s, '$.%s')", of, name) }
		return fmt.Sprintf("coalesce(concat_ws(' ', %s, %s, coalesce(%s, 'NULL'), %s, %s), '')", field("id"), field("name"), field("value"), field("ts"), field("part"))
	}
	was := []string{}
	for i, p := range m.past {
		if i > 0 && p.instant == m.past[i-1].instant { // a statement that changed nothing
			continue
		}
		q := fmt.Sprintf("SELECT op, CASE WHEN op = 'i' THEN '' ELSE %s END, CASE WHEN op = 'd' THEN '' ELSE %s END FROM hudi_table_changes('%s', 'cdc', 'earliest') WHERE ts_ms = '%d'",
			column("before"), column("after"), m.name, p.instant)
		rows, err := m.s.Query(context.Background(), q)
		if err != nil {
			m.fail("%s: %v", q, err)
		}
		got, gone := slices.Clone(was), map[string]bool{}
		var come []string
		for row, err := range rows.All() {
			if err != nil {
				m.fail("%s: %v", q, err)
			}
			if before := fmt.Sprint(row[1]); before != "" {
				gone[before] = true
			}
			if after := fmt.Sprint(row[2]); after != "" {
				come = append(come, after)
			}
		}
		rows.Close()
		got = slices.DeleteFunc(got, func(r string) bool { return gone[r] })
		if len(got)+len(gone) != len(was) {
			m.fail("the changes of %d are of rows that were not there: %q of %q", p.instant, slices.Sorted(maps.Keys(gone)), was)
		}
		got = append(got, come...)
		if slices.Sort(got); !slices.Equal(got, p.rows) && len(got)+len(p.rows) > 0 {
			m.fail("the changes of %d give %q\nwant %q", p.instant, got, p.rows)
		}
		was = p.rows
	}
}

// isCleaned reports whether the files of an instant are cleaned up, as the table says.
func (m *hudiModel) isCleaned(instant int64) bool {
	_, err := m.s.Exec(context.Background(), fmt.Sprintf("SELECT count(id) FROM %s TIMESTAMP AS OF '%d'", m.name, instant))
	return err != nil && strings.Contains(err.Error(), "cleaned up")
}

// checkChanges compares the changes behind an instant with the rows whose commit time is behind it. From table version 8 on, changes are
// asked for by completion time, and in version 8 that of the first is asked for too.
func (m *hudiModel) checkChanges(requested, completed string) {
	since := requested
	if m.version >= 8 {
		since = completed
	}
	got := m.texts(fmt.Sprintf("SELECT concat_ws(' ', _hoodie_commit_time, %s) FROM hudi_table_changes('%s', 'latest_state', '%s')", hudiColumns, m.name, since))
	behind := ">"
	if m.version == 8 {
		behind = ">="
	}
	want := m.texts(fmt.Sprintf("SELECT concat_ws(' ', _hoodie_commit_time, %s) FROM %s WHERE _hoodie_commit_time %s '%s'", hudiColumns, m.name, behind, requested))
	if !slices.Equal(got, want) {
		m.fail("changes behind %s: %q\nwant %q", since, got, want)
	}
}

func (m *hudiModel) texts(q string) []string {
	out := texts(m.t, m.s, q)
	slices.Sort(out)
	return out
}

func (m *hudiModel) part() string {
	return []string{"a", "b", "c d", "ü"}[m.rand.IntN(4)]
}

// fresh are rows with keys of the table or new ones. Some have an older ordering value than the row that is there, and are ignored.
func (m *hudiModel) fresh(n int) map[hudiKey]hudiRow {
	out := map[hudiKey]hudiRow{}
	for range n {
		k := hudiKey{m.rand.IntN(30), m.part()}
		m.clock++
		r := hudiRow{fmt.Sprintf("n%d", m.rand.IntN(1000)), m.value(), m.clock}
		if !m.partitioned {
			k.part = k.partOf()
		}
		if old, ok := m.rows[k]; ok && m.rand.IntN(4) == 0 {
			r.ts = old.ts - m.rand.IntN(2)
		}
		out[k] = r
	}
	return out
}

// partOf is the column part of a key that it does not belong to.
func (k hudiKey) partOf() string { return []string{"a", "b", "c d", "ü"}[k.id%4] }

func (m *hudiModel) value() string {
	if m.rand.IntN(5) == 0 {
		return "NULL"
	}
	return strconv.Itoa(m.rand.IntN(100))
}

// values is rows as a VALUES list.
func values(rows map[hudiKey]hudiRow) string {
	var list []string
	for k, r := range rows {
		list = append(list, fmt.Sprintf("(%d, '%s', CAST(%s AS BIGINT), %d, '%s')", k.id, r.name, r.value, r.ts, k.part))
	}
	slices.Sort(list)
	return "VALUES " + strings.Join(list, ", ")
}

func (m *hudiModel) upsert(rows map[hudiKey]hudiRow) {
	for k, r := range rows {
		if old, ok := m.rows[k]; !ok || r.ts >= old.ts {
			m.rows[k] = r
		}
	}
}

// step runs one random statement or service.
func (m *hudiModel) step() {
	switch m.rand.IntN(12) {
	case 0, 1, 2:
		rows := m.fresh(1 + m.rand.IntN(12))
		m.upsert(rows)
		m.run("INSERT INTO {t} " + values(rows))
	case 3:
		m.update()
	case 4:
		by, at := 2+m.rand.IntN(4), m.rand.IntN(5)
		maps.DeleteFunc(m.rows, func(k hudiKey, _ hudiRow) bool { return k.id%by == at })
		m.run(fmt.Sprintf("DELETE FROM {t} WHERE id %% %d = %d", by, at))
	case 5, 6:
		m.merge()
	case 7:
		m.overwrite()
	case 8, 9:
		if m.mor {
			m.run("CALL run_compaction(op => 'scheduleAndExecute', table => '{t}')")
		}
	case 10:
		m.run("CALL run_clustering(table => '{t}')")
	case 11:
		if m.rand.IntN(2) == 0 {
			m.cleaned = len(m.past) - 1
			m.run("CALL run_clean(table => '{t}', retain_commits => 2)")
		}
		m.update()
	}
	m.check("{t}", m.want())
	if len(m.rows) > 0 {
		m.check("{t} WHERE id > 10", slices.DeleteFunc(m.want(), func(s string) bool {
			id, _ := strconv.Atoi(s[:strings.IndexByte(s, ' ')])
			return id <= 10
		}))
	}
}

func (m *hudiModel) update() {
	at := m.rand.IntN(30)
	m.clock++
	for k, r := range m.rows {
		if k.id >= at && k.id < at+8 {
			m.rows[k] = hudiRow{r.name + "u", r.value, m.clock}
		}
	}
	m.run(fmt.Sprintf("UPDATE {t} SET name = concat(name, 'u'), ts = %d WHERE id >= %d AND id < %d", m.clock, at, at+8))
}

func (m *hudiModel) merge() {
	rows := m.fresh(1 + m.rand.IntN(12))
	for k, r := range rows {
		old, there := m.rows[k]
		switch {
		case there && k.id%5 == 0:
			delete(m.rows, k)
		case there && r.ts >= old.ts:
			m.rows[k] = hudiRow{r.name, old.value, r.ts}
		case !there:
			m.rows[k] = r
		}
	}
	on := "t.id = s.id"
	if m.partitioned {
		on += " AND t.part = s.part"
	}
	m.run(fmt.Sprintf(`MERGE INTO {t} t USING (SELECT * FROM (%s) AS v(id, name, value, ts, part)) s ON %s
		WHEN MATCHED AND s.id %% 5 = 0 THEN DELETE
		WHEN MATCHED THEN UPDATE SET name = s.name, ts = s.ts
		WHEN NOT MATCHED THEN INSERT *`, values(rows), on))
}

// overwrite replaces the rows of the table, or of one partition.
func (m *hudiModel) overwrite() {
	rows := m.fresh(1 + m.rand.IntN(6))
	if !m.partitioned {
		m.rows = rows
		m.run("INSERT OVERWRITE {t} " + values(rows))
		return
	}
	part := m.part()
	maps.DeleteFunc(m.rows, func(k hudiKey, _ hudiRow) bool { return k.part == part })
	maps.DeleteFunc(rows, func(k hudiKey, _ hudiRow) bool { return k.part != part })
	if len(rows) == 0 {
		rows[hudiKey{1, part}] = hudiRow{"o", "1", m.clock}
	}
	maps.Copy(m.rows, rows)
	m.run(fmt.Sprintf("INSERT OVERWRITE {t} PARTITION (part = '%s') SELECT id, name, value, ts FROM (%s) AS v(id, name, value, ts, part)", part, values(rows)))
}
