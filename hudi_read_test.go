package tarn

import (
	"archive/zip"
	"bufio"
	"bytes"
	"context"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/apache/arrow-go/v18/arrow/decimal128"
	"github.com/cockroachdb/datadriven"

	"github.com/tarn-lake/tarn/engine/duckdb"
	"github.com/tarn-lake/tarn/types"
)

// hudiAnswer is one query of answers.json, and what Hudi gave for it.
type hudiAnswer struct {
	Query string  `json:"query"`
	AsOf  string  `json:"as.of.instant"`
	Begin string  `json:"begin"`
	End   *string `json:"end"`
	File  string  `json:"file"`
	Error *struct {
		Class   string `json:"class"`
		Message string `json:"message"`
	} `json:"error"`
}

func (a hudiAnswer) String() string {
	switch a.Query {
	case "time_travel":
		return "as of " + a.AsOf
	case "incremental", "cdc":
		end := "now"
		if a.End != nil {
			end = *a.End
		}
		return a.Query + " " + a.Begin + " to " + end
	}
	return a.Query
}

// settings are the reader's options of the query.
func (a hudiAnswer) settings() map[string]string {
	switch a.Query {
	case "snapshot":
		return map[string]string{}
	case "read_optimized":
		return map[string]string{"hoodie.datasource.query.type": "read_optimized"}
	case "time_travel":
		return map[string]string{"as.of.instant": a.AsOf}
	case "incremental", "cdc":
		out := map[string]string{"hoodie.datasource.query.type": "incremental", "hoodie.datasource.read.begin.instanttime": a.Begin}
		if a.End != nil {
			out["hoodie.datasource.read.end.instanttime"] = *a.End
		}
		if a.Query == "cdc" {
			out["hoodie.datasource.query.incremental.format"] = "cdc"
		}
		return out
	case "rows of the metadata table":
		return map[string]string{"hoodie.datasource.query.type": "metadata"}
	}
	return nil
}

// hudiCorpus unpacks a table of the corpus and gives its folder.
func hudiCorpus(t testing.TB, zipped string) string {
	t.Helper()
	r, err := zip.OpenReader(zipped)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	to, root := t.TempDir(), ""
	for _, f := range r.File {
		if strings.HasPrefix(f.Name, "__MACOSX") {
			continue
		}
		file := filepath.Join(to, f.Name)
		if strings.HasSuffix(f.Name, "/") {
			if err := os.MkdirAll(file, 0o755); err != nil {
				t.Fatal(err)
			}
			continue
		}
		if strings.HasSuffix(f.Name, "/.hoodie/hoodie.properties") && strings.Count(f.Name, "/.hoodie/") == 1 {
			root = filepath.Dir(filepath.Dir(file))
		}
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			t.Fatal(err)
		}
		in, err := f.Open()
		if err != nil {
			t.Fatal(err)
		}
		content, err := io.ReadAll(in)
		in.Close()
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, content, 0o644); err != nil {
			t.Fatal(err)
		}
		if err := os.Chtimes(file, f.Modified, f.Modified); err != nil {
			t.Fatal(err)
		}
	}
	if root == "" {
		t.Fatalf("%s holds no table", zipped)
	}
	return root
}

// hudiModes are ways to read that must give the same rows: with the metadata table or by listing folders, with skipping or without.
var hudiModes = []map[string]string{
	{"hoodie.metadata.enable": "false", "hoodie.enable.data.skipping": "false", "hoodie.memory.merge.max.size": "0"},
	{"hoodie.metadata.enable": "true", "hoodie.enable.data.skipping": "true"},
	{"hoodie.metadata.enable": "true", "hoodie.enable.data.skipping": "false"},
	{"hoodie.metadata.enable": "false", "hoodie.enable.data.skipping": "true"},
}

// hudiOtherwise are answers in which tarn does not follow Hudi, by the table and the query, and why.
var hudiOtherwise = []struct{ table, query, why string }{
	{"*keygen*", "*", "the partition column is what the rows hold; Hudi makes it from the path"},
	{"*_keyvalues", "*", "the partition column is what the rows hold; Hudi reads the time in the path as 1970"},
	{"v6_cow_drop_partition_cols", "incremental*", "Hudi loses the value that only the path has"},
	{"v9_mor_part_multi", "incremental*", "Hudi does not decode the path"},
	{"*_failed_write_recovered", "*", "Hudi loses the row that was written to the log after the rollback"},
	{"*_mor_ordering_*", "incremental*", "Hudi shows stale rows, which the table never had"},
	{"v9_mor_part_plain", "incremental*", "Hudi shows stale rows, which the table never had"},
	{"v9_mor_partial_update*", "incremental*", "Hudi loses rows that were updated in part"},
	{"v6_mor_virtual_keys", "*", "Hudi doubles updated rows and keeps deleted ones"},
}

// whyOtherwise is why an answer differs; "" when that is not known.
func whyOtherwise(table, query string) string {
	for _, o := range hudiOtherwise {
		inTable, err1 := path.Match(o.table, table)
		asked, err2 := path.Match(o.query, query)
		if inTable && asked && err1 == nil && err2 == nil {
			return o.why
		}
	}
	return ""
}

// TestHudiReads reads the tables that Hudi wrote and compares with what Hudi reads. testdata/hudi/reads.txt says of each query
// "equal", that both refuse, or what is different and why.
func TestHudiReads(t *testing.T) {
	corpus, db := filepath.Join(shared(t), "corpus", "hudi", "generated"), utcDB(t)
	counts := map[string]int{}
	datadriven.RunTest(t, filepath.Join("testdata", "hudi", "reads.txt"), func(t *testing.T, d *datadriven.TestData) string {
		name := d.CmdArgs[0].Key
		var out strings.Builder
		dir := hudiCorpus(t, filepath.Join(corpus, name+".zip"))
		text, err := os.ReadFile(filepath.Join(corpus, "expected", name, "answers.json"))
		if err != nil {
			t.Fatal(err)
		}
		var answers []hudiAnswer
		if err := json.Unmarshal(text, &answers); err != nil {
			t.Fatal(err)
		}
		for _, a := range answers {
			verdict := ""
			for i, mode := range hudiModes {
				v := compareHudi(t, db, dir, filepath.Join(corpus, "expected", name), a, mode)
				if i > 0 && v != verdict {
					v += " ; " + fmt.Sprint(mode)
				}
				verdict = v
			}
			kind, _, _ := strings.Cut(verdict, ":")
			if why := whyOtherwise(name, a.String()); why != "" && kind == "different" {
				kind, verdict = "otherwise", "otherwise, "+why+verdict[len("different"):]
			}
			counts[kind]++
			fmt.Fprintf(&out, "%s: %s\n", a, verdict)
		}
		return out.String()
	})
	t.Logf("answers: %v", counts)
}

// TestHudiPruning asks each table for the rows of a value, for values of each column that is read from it, and counts them in what is
// read without a condition.
func TestHudiPruning(t *testing.T) {
	corpus, db := filepath.Join(shared(t), "corpus", "hudi"), utcDB(t)
	var zips []string
	for _, set := range []string{"generated", "tables"} {
		found, err := filepath.Glob(filepath.Join(corpus, set, "*.zip"))
		if err != nil {
			t.Fatal(err)
		}
		zips = append(zips, found...)
	}
	asked := 0
	for _, zipped := range zips {
		name := strings.TrimSuffix(filepath.Base(zipped), ".zip")
		t.Run(name, func(t *testing.T) { asked += countByValue(t, db.Session(), hudiCorpus(t, zipped)) })
	}
	t.Logf("%d conditions on %d tables", asked, len(zips))
}

// TestHudiSecondaryIndex reads rows by a column that has a secondary index: of a table whose writers go by the record index, files that
// the two rule out are not opened. All bounds of columns are taken away, and the files of the other partition.
func TestHudiSecondaryIndex(t *testing.T) {
	dir := hudiCorpus(t, filepath.Join(shared(t), "corpus", "hudi", "generated", "v8_mor_indexes.zip"))
	properties := filepath.Join(dir, ".hoodie", "hoodie.properties")
	text, err := os.ReadFile(properties)
	if err != nil {
		t.Fatal(err)
	}
	indexes := regexp.MustCompile(`(?m)^hoodie.table.metadata.partitions=.*$`)
	text = indexes.ReplaceAll(text, []byte("hoodie.table.metadata.partitions=files,record_index,secondary_index_idx_rider"))
	s := utcDB(t).Session()
	for _, c := range []struct{ more, where, want string }{
		{"", "rider = 'r-Z'", "\"k3\"\n"},
		{"", "rider IN ('r-A', 'none')", "\"k1\"\n"},
		{"hoodie.index.type=RECORD_INDEX\n", "rider = 'r-A'", "error"}, // its file is gone
		{"hoodie.index.type=RECORD_INDEX\n", "rider = 'r-Z'", "\"k3\"\n"},
		{"hoodie.index.type=RECORD_INDEX\n", "rider IN ('r-Z', 'none') AND fare > 1", "\"k3\"\n"},
		{"hoodie.index.type=RECORD_INDEX\n", "rider = 'none'", ""},
		{"hoodie.index.type=RECORD_INDEX\n", "rider = 'r-Z' OR fare > 1", "error"},
	} {
		if err := os.WriteFile(properties, append(text[:len(text):len(text)], "\n"+c.more...), 0o644); err != nil {
			t.Fatal(err)
		}
		if c.more != "" {
			if err := os.RemoveAll(filepath.Join(dir, "city=sf")); err != nil {
				t.Fatal(err)
			}
		}
		got := statementText(s, "SELECT id FROM hudi.`"+dir+"` WHERE "+c.where, dir)
		if _, rows, ok := strings.Cut(got, "\n"); ok && !strings.HasPrefix(got, "[") {
			got = rows
		} else {
			got = "error"
		}
		if got != c.want {
			t.Errorf("%s%s: %q, want %q", c.more, c.where, got, c.want)
		}
	}
}

// conditionsPerTable is the most that TestHudiPruning asks of a table.
const conditionsPerTable = 8

// countByValue checks the number of rows with each of a few values.
func countByValue(t *testing.T, s *Session, dir string) int {
	ctx := context.Background()
	rows, err := s.Query(ctx, "SELECT * FROM hudi.`"+dir+"`")
	if err != nil {
		t.Fatal(err)
	}
	defer rows.Close()
	counts := map[string]int{}
	for rows.Next() {
		values, err := rows.Values()
		if err != nil {
			t.Fatal(err)
		}
		for i, c := range rows.Columns() {
			if text, ok := sqlLiteral(values[i], c.Type); ok && (c.Name[0] != '_' || c.Name == "_hoodie_partition_path") {
				counts["`"+c.Name+"` <=> "+text]++
			}
		}
	}
	if err := rows.Err(); err != nil {
		t.Fatal(err)
	}
	asked, conditions := 0, slices.Sorted(maps.Keys(counts))
	step := len(conditions)/conditionsPerTable + 1
	for i := 0; i < len(conditions); i += step {
		asked++
		cond := conditions[i]
		got := strings.Split(statementText(s, "SELECT count(*) FROM hudi.`"+dir+"` WHERE "+cond, dir), "\n")
		if want := strconv.Itoa(counts[cond]); len(got) < 2 || got[1] != want {
			t.Errorf("%s: %v rows, want %s", cond, got, want)
		}
	}
	return asked
}

// sqlLiteral is a value as SQL writes it; false for values that are not plain.
func sqlLiteral(v types.Value, t types.Type) (string, bool) {
	switch v := v.(type) {
	case nil:
		return "NULL", types.Atomic(t)
	case bool:
		return strconv.FormatBool(v), true
	case string:
		return "'" + strings.NewReplacer(`\`, `\\`, "'", `\'`).Replace(v) + "'", true
	case int64:
		if types.Integral(t) {
			return strconv.FormatInt(v, 10), v != -1<<63
		}
		return "timestamp" + strings.ReplaceAll(hudiText(v, t), `"`, "'"), true
	case int32:
		return "date" + strings.ReplaceAll(hudiText(v, t), `"`, "'"), true
	case float64:
		return strconv.FormatFloat(v, 'e', -1, 64) + "D", v-v == 0
	case decimal128.Num:
		return v.ToString(int32(t.(types.Decimal).S)) + "BD", true
	}
	return "", false
}

// utcDB is a DB whose sessions are in UTC.
func utcDB(t testing.TB) *DB {
	t.Helper()
	engine, err := duckdb.Open(duckdb.Options{Memory: 512 << 20, Threads: 2, Spill: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { engine.Close() })
	db := Opened(t, Options{Warehouse: t.TempDir(), Engine: engine, Conf: map[string]string{"spark.sql.session.timeZone": "UTC"}})
	return db
}

// TestHudiQueries runs statements on tables of the corpus: {t} in the input of "query TABLE" is the table's folder.
func TestHudiQueries(t *testing.T) {
	corpus, db := filepath.Join(shared(t), "corpus", "hudi"), utcDB(t)
	dirs := map[string]string{}
	datadriven.RunTest(t, filepath.Join("testdata", "hudi", "queries.txt"), func(t *testing.T, d *datadriven.TestData) string {
		name := d.CmdArgs[0].Key
		dir, ok := dirs[name]
		if !ok {
			zipped := filepath.Join(corpus, "generated", name+".zip")
			if _, err := os.Stat(zipped); err != nil {
				zipped = filepath.Join(corpus, "tables", name+".zip")
			}
			dir = hudiCorpus(t, zipped)
			dirs[name] = dir
		}
		s := db.Session()
		out := ""
		for statement := range strings.SplitSeq(d.Input, ";") {
			out = statementText(s, statement, dir)
		}
		return out
	})
}

// statementText is what a statement gives, one row a line.
func statementText(s *Session, sql, dir string) string {
	rows, err := s.Query(context.Background(), strings.ReplaceAll(sql, "{t}", dir))
	out := ""
	if err == nil {
		out, err = rowsText(rows)
	}
	if err != nil {
		return oneLine(strings.ReplaceAll(err.Error(), dir, "{t}")) + "\n"
	}
	return strings.ReplaceAll(out, dir, "{t}")
}

// rowsText are the names of the columns, and the rows, one a line.
func rowsText(rows *Rows) (string, error) {
	defer rows.Close()
	var out strings.Builder
	for i, c := range rows.Columns() {
		out.WriteString(map[bool]string{false: " | "}[i == 0] + c.Name)
	}
	out.WriteString("\n")
	for rows.Next() {
		values, err := rows.Values()
		if err != nil {
			return "", err
		}
		for i, c := range rows.Columns() {
			out.WriteString(map[bool]string{false: " | "}[i == 0] + hudiText(values[i], c.Type))
		}
		out.WriteString("\n")
	}
	return out.String(), rows.Err()
}

// compareHudi is "equal" when the table at dir gives the rows that Hudi gave.
func compareHudi(t *testing.T, db *DB, dir, expected string, a hudiAnswer, mode map[string]string) string {
	got, err := hudiRows(db, dir, a.settings(), mode)
	if a.Error != nil {
		if err != nil {
			return "refused too: " + oneLine(strings.ReplaceAll(err.Error(), dir, "…"))
		}
		return fmt.Sprintf("read, and Hudi fails: %d rows; %s", len(got), oneLine(a.Error.Message))
	}
	if err != nil {
		return "failed: " + oneLine(strings.ReplaceAll(err.Error(), dir, "…"))
	}
	want := expectedHudiRows(t, filepath.Join(expected, a.File))
	if a.Query == "cdc" {
		sortMembers(got)
		sortMembers(want)
	}
	return difference(got, want)
}

// sortMembers spells the JSON of change records alike. Releases of Hudi write its members in different orders, and "null" for no row.
func sortMembers(rows []map[string]string) {
	for _, row := range rows {
		for _, k := range []string{"before", "after"} {
			var text string
			var members map[string]any
			if json.Unmarshal([]byte(row[k]), &text) != nil || json.Unmarshal([]byte(text), &members) != nil {
				continue
			}
			row[k] = "null"
			if members != nil {
				sorted, _ := json.Marshal(members)
				row[k] = string(sorted)
			}
		}
	}
	sortRows(rows)
}

func oneLine(s string) string {
	s, _, _ = strings.Cut(s, "\n")
	return s[:min(len(s), 160)]
}

// differs is a little before where two texts differ, 0 for short ones.
func differs(a, b string) int {
	i := 0
	for i < len(a) && i < len(b) && a[i] == b[i] {
		i++
	}
	if i < 40 || len(a) < 60 && len(b) < 60 {
		return 0
	}
	return i - 20
}

// difference says which columns differ.
func difference(got, want []map[string]string) string {
	if len(got) != len(want) {
		return fmt.Sprintf("different: %d rows, want %d", len(got), len(want))
	}
	columns := map[string]string{}
	for i := range want {
		for k, w := range want[i] {
			g, ok := got[i][k]
			if !ok {
				columns[k] = "missing"
			} else if g != w && columns[k] == "" {
				columns[k] = fmt.Sprintf("%.60s, want %.60s", g[differs(g, w):], w[differs(g, w):])
			}
		}
		for k := range got[i] {
			if _, ok := want[i][k]; !ok {
				columns[k] = "not expected"
			}
		}
	}
	if len(columns) == 0 {
		return "equal"
	}
	var out []string
	for _, k := range slices.Sorted(maps.Keys(columns)) {
		out = append(out, k+" "+columns[k])
	}
	return "different: " + strings.Join(out, "; ")
}

// hudiRows reads the table at dir, in an order of its own.
func hudiRows(db *DB, dir string, settings ...map[string]string) ([]map[string]string, error) {
	ctx, s := context.Background(), db.Session()
	var options []string
	for _, m := range settings {
		for k, v := range m {
			options = append(options, fmt.Sprintf("'%s' = '%s'", k, v))
		}
	}
	rows, err := s.Query(ctx, "SELECT * FROM hudi.`"+dir+"` WITH ("+strings.Join(options, ", ")+")")
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	var out []map[string]string
	for rows.Next() {
		values, err := rows.Values()
		if err != nil {
			return nil, err
		}
		row := map[string]string{}
		for i, c := range rows.Columns() {
			row[c.Name] = hudiText(values[i], c.Type)
		}
		out = append(out, row)
	}
	sortRows(out)
	return out, rows.Err()
}

func sortRows(rows []map[string]string) {
	key := func(r map[string]string) string {
		return fmt.Sprint(r["_hoodie_record_key"], "\x00", r["_hoodie_partition_path"], "\x00", r["_hoodie_commit_seqno"], "\x00", r["id"], "\x00", r["op"], "\x00", r["ts_ms"], "\x00", r["before"], "\x00", r["after"], "\x00", r["key"], r["type"], r["ColumnStatsMetadata"])
	}
	slices.SortFunc(rows, func(a, b map[string]string) int { return strings.Compare(key(a), key(b)) })
}

// hudiText is a value as the corpus spells it (oracle/hudi/README.md).
func hudiText(v types.Value, t types.Type) string {
	switch v := v.(type) {
	case nil:
		return "null"
	case bool:
		return strconv.FormatBool(v)
	case int64:
		switch t {
		case types.Timestamp, types.TimestampNTZ:
			return strconv.Quote(time.UnixMicro(v).UTC().Format("2006-01-02T15:04:05.000000"))
		}
		return strconv.FormatInt(v, 10)
	case int32:
		return strconv.Quote(time.Unix(int64(v)*86400, 0).UTC().Format(time.DateOnly))
	case float32:
		return hudiFloat(float64(v))
	case float64:
		return hudiFloat(v)
	case string:
		return strconv.Quote(v)
	case []byte:
		return strconv.Quote(base64.StdEncoding.EncodeToString(v))
	case decimal128.Num:
		return strconv.Quote(v.ToString(int32(t.(types.Decimal).S)))
	case []types.Pair:
		m := t.(types.Map)
		var parts []string
		for _, p := range v {
			parts = append(parts, "["+hudiText(p.Key, m.Key)+","+hudiText(p.Value, m.Value)+"]")
		}
		slices.Sort(parts)
		return "[" + strings.Join(parts, ",") + "]"
	case []types.Value:
		var parts []string
		if s, ok := t.(types.Struct); ok {
			for i, f := range s.Fields {
				parts = append(parts, strconv.Quote(f.Name)+":"+hudiText(v[i], f.Type))
			}
			return "{" + strings.Join(parts, ",") + "}"
		}
		for _, x := range v {
			parts = append(parts, hudiText(x, t.(types.Array).Elem))
		}
		return "[" + strings.Join(parts, ",") + "]"
	}
	return fmt.Sprintf("%T", v)
}

func hudiFloat(f float64) string {
	switch text := strconv.FormatFloat(f, 'g', -1, 64); text {
	case "NaN":
		return `"NaN"`
	case "+Inf":
		return `"Infinity"`
	case "-Inf":
		return `"-Infinity"`
	default:
		return text
	}
}

// expectedHudiRows reads a file of expected rows and spells them as hudiText does.
func expectedHudiRows(t *testing.T, file string) []map[string]string {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	var out []map[string]string
	lines := bufio.NewScanner(bytes.NewReader(text))
	lines.Buffer(nil, 16<<20)
	for lines.Scan() {
		dec := json.NewDecoder(bytes.NewReader(lines.Bytes()))
		dec.UseNumber()
		row := map[string]string{}
		if _, err := dec.Token(); err != nil {
			t.Fatal(err)
		}
		for dec.More() {
			k, err := dec.Token()
			if err != nil {
				t.Fatal(err)
			}
			if row[k.(string)], err = respellJSON(dec); err != nil {
				t.Fatalf("%s: %v", file, err)
			}
		}
		out = append(out, row)
	}
	sortRows(out)
	return out
}

// respellJSON spells the next JSON value as hudiText does.
func respellJSON(dec *json.Decoder) (string, error) {
	tok, err := dec.Token()
	if err != nil {
		return "", err
	}
	switch tok := tok.(type) {
	case nil:
		return "null", nil
	case bool:
		return strconv.FormatBool(tok), nil
	case string:
		return strconv.Quote(tok), nil
	case json.Number:
		if strings.ContainsAny(tok.String(), ".eE") {
			f, err := tok.Float64()
			return hudiFloat(f), err
		}
		return tok.String(), nil
	}
	var parts []string
	for dec.More() {
		name := ""
		if tok == json.Delim('{') {
			k, err := dec.Token()
			if err != nil {
				return "", err
			}
			name = strconv.Quote(k.(string)) + ":"
		}
		part, err := respellJSON(dec)
		if err != nil {
			return "", err
		}
		parts = append(parts, name+part)
	}
	_, err = dec.Token()
	if tok == json.Delim('{') {
		return "{" + strings.Join(parts, ",") + "}", err
	}
	if len(parts) > 0 && strings.HasPrefix(parts[0], `["`) { // the pairs of a map
		slices.Sort(parts)
	}
	return "[" + strings.Join(parts, ",") + "]", err
}

// TestHudiWidened reads columns that are wider than files have them, as after a writer with a wider schema. Conditions mean the values
// that the columns have now.
func TestHudiWidened(t *testing.T) {
	s := utcDB(t).Session()
	dir := filepath.Join(t.TempDir(), "wide")
	for _, q := range []string{
		"CREATE TABLE wide (id INT, f FLOAT, n INT, w INT, p STRING) USING hudi PARTITIONED BY (p) TBLPROPERTIES (primaryKey='id', type='cow') LOCATION '" + dir + "'",
		"INSERT INTO wide VALUES (1, 3.4, 5, 7, 'a'), (2, 2.5, 7, 12, 'a')",
		"INSERT INTO wide VALUES (3, 1.5, 9, 70, 'b')",
	} {
		if _, err := s.Exec(context.Background(), q); err != nil {
			t.Fatal(err)
		}
	}
	commits, err := filepath.Glob(filepath.Join(dir, ".hoodie", "*.commit"))
	if err != nil || len(commits) < 2 {
		t.Fatal(commits, err)
	}
	text, err := os.ReadFile(commits[len(commits)-1])
	if err != nil {
		t.Fatal(err)
	}
	wide := strings.NewReplacer(`\"name\":\"f\",\"type\":[\"null\",\"float\"]`, `\"name\":\"f\",\"type\":[\"null\",\"double\"]`,
		`\"name\":\"n\",\"type\":[\"null\",\"int\"]`, `\"name\":\"n\",\"type\":[\"null\",\"long\"]`,
		`\"name\":\"w\",\"type\":[\"null\",\"int\"]`, `\"name\":\"w\",\"type\":[\"null\",\"string\"]`).Replace(string(text))
	if err := os.WriteFile(commits[len(commits)-1], []byte(wide), 0o644); err != nil {
		t.Fatal(err)
	}
	for cond, want := range map[string]string{
		"f = 3.4D":                               "",
		"f > 3.4D":                               "1",
		"f = CAST(CAST(3.4 AS FLOAT) AS DOUBLE)": "1",
		"f IN (3.4D, 2.5D)":                      "2",
		"n = 5":                                  "1",
		"n = 4294967301":                         "",
		"n < 4294967301":                         "1 2 3",
		"w = '7'":                                "1",
		"w = '07'":                               "",
		"w < '12a'":                              "2",
		"w >= '7' AND p = 'a'":                   "1",
	} {
		got := statementText(s, "SELECT array_join(sort_array(collect_list(id)), ' ') AS ids FROM hudi.`"+dir+"` WHERE "+cond, dir)
		if got != "ids\n"+strconv.Quote(want)+"\n" {
			t.Errorf("%s: %s, want %s", cond, got, want)
		}
	}
}
