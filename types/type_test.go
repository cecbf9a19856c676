package types

import (
	"testing"

	"github.com/apache/arrow-go/v18/arrow"
)

var samples = []struct {
	t         Type
	name, sql string
}{
	{Long, "bigint", "BIGINT"},
	{TimestampNTZ, "timestamp_ntz", "TIMESTAMP_NTZ"},
	{Decimal{10, 2}, "decimal(10,2)", "DECIMAL(10,2)"},
	{Varchar{5}, "varchar(5)", "VARCHAR(5)"},
	{YearMonth{Year, Month}, "interval year to month", "INTERVAL YEAR TO MONTH"},
	{DayTime{Day, Day}, "interval day", "INTERVAL DAY"},
	{Array{Int, true}, "array<int>", "ARRAY<INT>"},
	{Map{String, Double, true}, "map<string,double>", "MAP<STRING, DOUBLE>"},
	{Struct{[]Field{{Name: "a b", Type: Int, Nullable: true}, {Name: "c", Type: String}}}, "struct<a b:int,c:string>", "STRUCT<`a b`: INT, c: STRING NOT NULL>"},
}

func TestSpellings(t *testing.T) {
	for _, s := range samples {
		if got := s.t.String(); got != s.name {
			t.Errorf("String: %q, want %q", got, s.name)
		}
		if got := SQL(s.t); got != s.sql {
			t.Errorf("SQL: %q, want %q", got, s.sql)
		}
	}
}

func TestArrowRoundTrip(t *testing.T) {
	for _, s := range samples {
		got, err := FromArrow(Arrow(s.t))
		if err != nil {
			t.Fatal(err)
		}
		if v, ok := s.t.(Varchar); ok && v.N > 0 {
			s.t = String
		}
		if d, ok := s.t.(DayTime); ok {
			d.To = Second
			s.t = d
		}
		if !Equal(got, s.t) {
			t.Errorf("%v came back as %v", s.t, got)
		}
	}
	if _, err := FromArrow(arrow.FixedWidthTypes.Time32s); err != nil {
		t.Error(err)
	}
	if _, err := FromArrow(arrow.PrimitiveTypes.Uint64); err == nil {
		t.Error("uint64 has no Spark type but was accepted")
	}
}

func TestEqualAndSame(t *testing.T) {
	a := Struct{[]Field{{Name: "x", Type: Array{Int, true}, Nullable: true}}}
	b := Struct{[]Field{{Name: "x", Type: Array{Int, false}, Metadata: Metadata(nil).With("k", 1)}}}
	if !Equal(a, b) || Same(a, b) {
		t.Errorf("Equal %t, Same %t", Equal(a, b), Same(a, b))
	}
	if Equal(a, Struct{[]Field{{Name: "X", Type: Array{Int, true}}}}) {
		t.Error("field names must be compared exactly")
	}
	if Equal(Int, Array{Int, true}) || Equal(Array{Int, true}, Int) || !Equal(Decimal{3, 1}, Decimal{3, 1}) {
		t.Error("mixed comparison is wrong")
	}
}

func TestQuoting(t *testing.T) {
	for in, want := range map[string]string{"a_1": "a_1", "1": "`1`", "": "``", "a`b": "`a``b`", "é": "`é`"} {
		if got := QuoteIfNeeded(in); got != want {
			t.Errorf("%q: %q, want %q", in, got, want)
		}
	}
}

func TestMetadataIsNeverChangedInPlace(t *testing.T) {
	m := Metadata(nil).With("a", "x")
	n := m.With("b", 2).Without("a")
	if s, ok := m.Text("a"); !ok || s != "x" || len(m) != 1 {
		t.Errorf("m was changed: %v", m)
	}
	if i, ok := n.Int("b"); !ok || i != 2 || len(n) != 1 {
		t.Errorf("n is %v", n)
	}
	if n.Without("b") != nil {
		t.Error("an empty object must be nil")
	}
}
