package syntax

import (
	"testing"
	"unicode/utf8"
)

// seeds are texts for fuzzing that reach every statement family.
var seeds = []string{
	"select a + 1 as b, t.* except (c) from t where x in (1, 2) and not exists (select 1) order by 1 desc limit 3",
	"with recursive r(n) as (values (1) union all select n + 1 from r) select * from r join lateral f(n) on true",
	"select cast(a as map<int, array<string>>), b::decimal(10, 2), c:x.y[0] collate utf8_lcase from values (1, 'a') as v(a, b)",
	"select sum(distinct x) filter (where y) over (partition by z order by w range between interval 1 day preceding and current row) from t window v as (order by 1)",
	"select date '2020-01-01', interval '1-2' year to month, x'1F', r'\\n', -1.5e3, 2L, 'it''s' '\\u0041', :p, ?",
	"from t |> where a > 1 |> aggregate sum(b) as s group by c |> extend s + 1 as u |> order by s",
	"select * from t pivot (sum(a) for b in (1 as one, 2)) unpivot include nulls (v for n in (x, y as z))",
	"select transform(a, b) using 'cat' as (x int, y string) from t lateral view outer explode(c) d as e",
	"insert into t with ('mergeSchema' = 'true') partition (p = 1, q) by name select * from s",
	"insert overwrite local directory '/x' using csv options (header true) select 1",
	"merge with schema evolution into t using (select 1) s on t.a = s.a when matched and x then update set a = 1 when not matched then insert * when not matched by source then delete",
	"create or replace table a.b (x int not null default 1 comment 'c', y bigint generated always as identity (start with 1), check (x > 0) enforced) using delta partitioned by (days(y), x) tblproperties (k = 'v')",
	"alter table t partition (a = 1) set fileformat orc; alter table t add columns (a.b int after c, d string first)",
	"create function f(a int default 1) returns table (b int) deterministic return select a",
	"optimize t where p = 1 zorder by (a, b); vacuum '/t' retain 0 hours dry run; restore t to version as of 3",
	"describe extended t partition (a = 1); show tables in x like '*'; explain formatted select 1",
	"set spark.sql.ansi.enabled = true; set time zone 'UTC'; reset; cache lazy table t as select 1",
	"l: begin declare x int = 1; while x < 3 do set x = x + 1; if x = 2 then iterate l; else leave l; end if; end while; end l",
	"/* a /* b */ c */ -- d\nselect /*+ broadcast(t), repartition(3) */ 1",
	"select * from (values + a + x(53)) as v(a)",
	"select * from (values not a, ~ b) as v(a)",
}

// TestSeedsReadBack: the seeds are statements, all of which print and read back
// as the same tree.
func TestSeedsReadBack(t *testing.T) {
	for _, s := range seeds {
		stmts, err := Parse(s)
		if err != nil {
			t.Errorf("%q: %v", s, err)
		}
		for _, stmt := range stmts {
			if err := roundTrip(stmt); err != nil {
				t.Errorf("%q: %v", s, err)
			}
		}
	}
}

// FuzzParse checks that no text makes the parser fail in other ways than by
// an error whose position lies in the text.
func FuzzParse(f *testing.F) {
	for _, s := range seeds {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, src string) {
		stmts, err := Parse(src)
		if err == nil {
			for _, s := range stmts {
				checkSpans(t, src, s)
			}
			return
		}
		for _, e := range err.(ErrorList) {
			if e.From < 0 || e.To < e.From || int(e.To) > len(src) {
				t.Errorf("error at [%d,%d) of %d bytes: %v", e.From, e.To, len(src), e)
			}
			if e.Class == "" || e.Msg == "" {
				t.Errorf("error without class or message: %#v", e)
			}
		}
	})
}

// checkSpans checks that all spans lie within the text and within their
// parents, and are not empty.
func checkSpans(t *testing.T, src string, s Statement) {
	Walk(s, func(n Node) bool {
		if n.Pos() < 0 || n.End() < n.Pos() || int(n.End()) > len(src) {
			t.Errorf("%T at [%d,%d) of %d bytes", n, n.Pos(), n.End(), len(src))
		}
		return true
	})
}

// FuzzParsePrintParse checks that what is printed reads back as the same
// tree.
func FuzzParsePrintParse(f *testing.F) {
	for _, s := range seeds {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, src string) {
		if !utf8.ValidString(src) {
			return
		}
		stmts, err := Parse(src)
		if err != nil {
			return
		}
		for _, s := range stmts {
			if err := roundTrip(s); err != nil {
				t.Errorf("%q: %v", src, err)
			}
		}
	})
}
