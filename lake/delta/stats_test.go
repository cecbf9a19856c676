package delta

import (
	"testing"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"pgregory.net/rapid"

	"github.com/tarn-lake/tarn/types"
)

// TestMember finds members as a full decoding does.
func TestMember(t *testing.T) {
	for _, text := range []string{
		`{"a":1,"b":{"c":"x,}]\"","a":2},"c":[1,{"b":3}],"":null,"d":-1.5e3}`, ` { "a" : "" , "b":[ ] } `, `{}`, `[1]`, `"a"`, `1`, `null`, `{"a\"b":true,"\u0063":2}`,
	} {
		for _, name := range []string{"a", "b", "c", "d", "", "zz", `a"b`} {
			var whole map[string]jsontext.Value
			json.Unmarshal([]byte(text), &whole)
			if got := member(jsontext.Value(text), name); string(got) != string(whole[name]) {
				t.Errorf("%s in %s is %q, want %q", name, text, got, whole[name])
			}
		}
	}
	rapid.Check(t, func(t *rapid.T) {
		m := rapid.MapOf(rapid.String(), rapid.String()).Draw(t, "members")
		text, err := json.Marshal(m)
		if err != nil {
			t.Skip()
		}
		for k, v := range m {
			var got string
			if err := json.Unmarshal(member(text, k), &got); err != nil || got != v {
				t.Fatalf("%q in %s is %q, want %q", k, text, got, v)
			}
		}
	})
}

func TestBounds(t *testing.T) {
	s := parseStats(`{"numRecords":4,"minValues":{"i":-3,"d":1.5,"f":"NaN","ts":"2020-01-01T00:00:00.000-08:00","s":"a","n":{"x":1},"c":"2020-02-30"},` +
		`"maxValues":{"i":9,"ts":"2020-01-01T00:00:00.999Z","dec":12.30},"nullCount":{"i":4,"n":{"x":1}},"tightBounds":false}`)
	if s.rows != 4 || s.tight {
		t.Errorf("%d rows, tight %v", s.rows, s.tight)
	}
	i := s.bounds([]string{"i"}, types.Int)
	if i.Min != int64(-3) || i.Max != int64(9) || i.Nulls != 4 {
		t.Errorf("i: %+v", i)
	}
	if n := s.bounds([]string{"n", "x"}, types.Int); n.Min != int64(1) || n.Max != nil || n.Nulls != -1 {
		t.Errorf("n.x: %+v", n)
	}
	if ts := s.bounds([]string{"ts"}, types.Timestamp); ts.Min != int64(1577865600000000) || ts.Max != int64(1577836801000000-1000+1000) {
		t.Errorf("ts: %+v", ts)
	}
	for name, typ := range map[string]types.Type{"f": types.Double, "s": types.Int, "c": types.Date, "i": types.String, "gone": types.Int, "d": types.Int} {
		if r := s.bounds([]string{name}, typ); r.Min != nil {
			t.Errorf("%s as %v: %+v", name, typ, r)
		}
	}
	for _, text := range []string{``, `{`, `[]`, `{"numRecords":-1}`, `{"numRecords":1,"numRecords":2}`, `{"minValues":3}`, `"x"`} {
		if s := parseStats(text); s.rows >= 0 || s.bounds([]string{"a"}, types.Int).Min != nil {
			t.Errorf("%s: %+v", text, s)
		}
	}
}
