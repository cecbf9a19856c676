package types

import (
	"math"
	"strconv"
	"testing"
	"time"

	"github.com/tarn-lake/tarn/internal/seed"
)

// The texts are those of Java's Double.toString and Float.toString.
func TestAppendFloat(t *testing.T) {
	for _, c := range []struct {
		f    float64
		bits int
		want string
	}{
		{0, 64, "0.0"}, {math.Copysign(0, -1), 64, "-0.0"}, {1, 64, "1.0"}, {-1.5, 64, "-1.5"}, {0.001, 64, "0.001"},
		{0.0009, 64, "9.0E-4"}, {9999999, 64, "9999999.0"}, {1e7, 64, "1.0E7"}, {1.25e100, 64, "1.25E100"},
		{math.NaN(), 64, "NaN"}, {math.Inf(1), 64, "Infinity"}, {math.Inf(-1), 32, "-Infinity"},
		{math.SmallestNonzeroFloat64, 64, "4.9E-324"}, {math.MaxFloat64, 64, "1.7976931348623157E308"},
		{math.SmallestNonzeroFloat32, 32, "1.4E-45"}, {math.MaxFloat32, 32, "3.4028235E38"}, {float64(float32(0.1)), 32, "0.1"},
	} {
		if got := string(AppendFloat([]byte("x"), c.f, c.bits)); got != "x"+c.want {
			t.Errorf("%v: %s, want x%s", c.f, got, c.want)
		}
	}
}

func TestAppendFloatReadsBack(t *testing.T) {
	r := seed.Rand(t)
	for range 10000 {
		f := math.Float64frombits(r.Uint64())
		back, err := strconv.ParseFloat(string(AppendFloat(nil, f, 64)), 64)
		if err != nil || back != f && !math.IsNaN(f) {
			t.Fatalf("%v reads back as %v, %v", f, back, err)
		}
	}
}

// The calendar and the zones are those of package time.
func TestTimesAsPackageTime(t *testing.T) {
	berlin, err := time.LoadLocation("Europe/Berlin")
	if err != nil {
		t.Fatal(err)
	}
	r := seed.Rand(t)
	for range 10000 {
		micros := r.Int64N(9000*365*microsPerDay) - 1900*365*microsPerDay
		at := time.UnixMicro(micros)
		for _, zone := range []*time.Location{time.UTC, berlin} {
			want := at.In(zone).Format("2006-01-02 15:04:05.999999")
			if got := string(AppendTimestamp(nil, micros, zone)); got != want {
				t.Fatalf("%d in %s: %s, want %s", micros, zone, got, want)
			}
		}
		if got, want := string(AppendTimestampNTZ(nil, micros)), at.UTC().Format("2006-01-02 15:04:05.999999"); got != want {
			t.Fatalf("%d: %s, want %s", micros, got, want)
		}
		days := floorDiv(micros, microsPerDay)
		if y, m, d := CivilDate(days); CivilDay(y, m, d) != days {
			t.Fatalf("day %d is %d-%d-%d, which is day %d", days, y, m, d, CivilDay(y, m, d))
		}
	}
}

func TestTimesFarAway(t *testing.T) {
	for _, c := range []struct {
		micros int64
		want   string
	}{
		{0, "1970-01-01 00:00:00"},
		{-1, "1969-12-31 23:59:59.999999"},
		{253402300800000000, "+10000-01-01 00:00:00"},
		{-62135596800000000, "0001-01-01 00:00:00"},
		{-62198755200000000, "-0001-01-01 00:00:00"},
		{math.MaxInt64, "+294247-01-10 04:00:54.775807"},
		{math.MinInt64, "-290308-12-21 19:59:05.224192"},
	} {
		if got := string(AppendTimestampNTZ(nil, c.micros)); got != c.want {
			t.Errorf("%d: %s, want %s", c.micros, got, c.want)
		}
		if got := string(AppendTimestamp(nil, c.micros, time.UTC)); got != c.want {
			t.Errorf("%d in UTC: %s, want %s", c.micros, got, c.want)
		}
	}
}

func TestAppendIntervals(t *testing.T) {
	ym := func(n int64, from, to Unit) []byte { return AppendYearMonth(nil, n, YearMonth{from, to}) }
	dt := func(n int64, from, to Unit) []byte { return AppendDayTime(nil, n, DayTime{from, to}) }
	words := func(months, days int32, micros int64) []byte {
		return AppendInterval(nil, Interval{months, days, micros})
	}
	for _, c := range []struct {
		got  []byte
		want string
	}{
		{ym(14, Year, Month), "INTERVAL '1-2' YEAR TO MONTH"},
		{ym(-14, Year, Month), "INTERVAL '-1-2' YEAR TO MONTH"},
		{ym(24, Year, Year), "INTERVAL '2' YEAR"},
		{ym(14, Month, Month), "INTERVAL '14' MONTH"},
		{dt(93784500000, Day, Second), "INTERVAL '1 02:03:04.5' DAY TO SECOND"},
		{dt(93784500000, Day, Hour), "INTERVAL '1 02' DAY TO HOUR"},
		{dt(-93784000000, Hour, Second), "INTERVAL '-26:03:04' HOUR TO SECOND"},
		{dt(2*microsPerHour, Hour, Hour), "INTERVAL '02' HOUR"},
		{dt(3*microsPerMinute, Minute, Minute), "INTERVAL '03' MINUTE"},
		{dt(4000000, Second, Second), "INTERVAL '04' SECOND"},
		{dt(math.MinInt64, Day, Second), "INTERVAL '-106751991 04:00:54.775808' DAY TO SECOND"},
		{words(0, 0, 0), "0 seconds"},
		{words(14, -3, 4*microsPerHour+5*microsPerMinute+6500000), "1 years 2 months -3 days 4 hours 5 minutes 6.5 seconds"},
		{words(0, 0, -500000), "-0.5 seconds"},
		{words(0, 1, 1), "1 days 0.000001 seconds"},
	} {
		if string(c.got) != c.want {
			t.Errorf("%s, want %s", c.got, c.want)
		}
	}
}
