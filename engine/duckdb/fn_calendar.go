package duckdb

import (
	"fmt"
	"strconv"
	"strings"
	"sync"
	"time"
	_ "time/tzdata" // zones must not depend on the machine

	"github.com/tarn-lake/tarn/types"
)

const (
	microsPerSecond = int64(1_000_000)
	microsPerMinute = 60 * microsPerSecond
	microsPerHour   = 60 * microsPerMinute
	microsPerDay    = 24 * microsPerHour
)

func leap(year int64) bool { return year%4 == 0 && (year%100 != 0 || year%400 == 0) }

func monthDays(year int64, month int) int {
	switch month {
	case 2:
		if leap(year) {
			return 29
		}
		return 28
	case 4, 6, 9, 11:
		return 30
	}
	return 31
}

// addMonths moves a day by months; a day that the month lacks becomes its last.
func addMonths(days, months int64) int64 {
	y, m, d := types.CivilDate(days)
	total := y*12 + int64(m-1) + months
	y, m = floorDiv(total, 12), int(floorMod(total, 12))+1
	return types.CivilDay(y, m, min(d, monthDays(y, m)))
}

func floorDiv(a, b int64) int64 {
	q := a / b
	if a%b != 0 && (a < 0) != (b < 0) {
		q--
	}
	return q
}

func floorMod(a, b int64) int64 { return a - floorDiv(a, b)*b }

// zone answers for the offsets of a time zone, as Java does: in a gap the wall clock moves on by its
// length, in an overlap the earlier offset holds.
type zone struct {
	loc *time.Location
	// the span of the last answer, in seconds, and its offset
	from, to, offset int64
}

var zoneNames sync.Map // name to *time.Location

// loadZone finds a zone by its Java name: a region, Z, UTC, GMT+8, +08:00, … The name may lie in memory of the engine's: what is kept is a copy.
func loadZone(name string) (*time.Location, error) {
	if l, ok := zoneNames.Load(name); ok {
		return l.(*time.Location), nil
	}
	name = strings.Clone(name)
	l, err := parseZone(name)
	if err != nil {
		return nil, err
	}
	zoneNames.Store(name, l)
	return l, nil
}

var shortZones = map[string]string{"PST": "America/Los_Angeles", "EST": "-05:00", "MST": "-07:00", "HST": "-10:00",
	"CST": "America/Chicago", "JST": "Asia/Tokyo", "IST": "Asia/Kolkata", "CTT": "Asia/Shanghai", "ECT": "Europe/Paris",
	"ACT": "Australia/Darwin", "AET": "Australia/Sydney", "AGT": "America/Argentina/Buenos_Aires", "ART": "Africa/Cairo",
	"AST": "America/Anchorage", "BET": "America/Sao_Paulo", "BST": "Asia/Dhaka", "CAT": "Africa/Harare",
	"CNT": "America/St_Johns", "EAT": "Africa/Addis_Ababa", "IET": "America/Indiana/Indianapolis", "MIT": "Pacific/Apia",
	"NET": "Asia/Yerevan", "NST": "Pacific/Auckland", "PLT": "Asia/Karachi", "PNT": "America/Phoenix",
	"PRT": "America/Puerto_Rico", "SST": "Pacific/Guadalcanal", "VST": "Asia/Ho_Chi_Minh"}

func parseZone(name string) (*time.Location, error) {
	bad := fmt.Errorf("unknown time zone %q", name)
	if long, ok := shortZones[name]; ok {
		name = long
	}
	rest := name
	for _, p := range []string{"UTC", "GMT", "UT"} {
		if r, ok := strings.CutPrefix(name, p); ok {
			if r == "" {
				return time.UTC, nil
			}
			rest = r
			break
		}
	}
	if name == "Z" || name == "z" {
		return time.UTC, nil
	}
	if rest != "" && (rest[0] == '+' || rest[0] == '-') {
		off, ok := parseOffset(rest)
		if !ok {
			return nil, bad
		}
		return time.FixedZone(name, off), nil
	}
	if name == "" || name == "Local" || strings.ContainsAny(name, " \\") {
		return nil, bad
	}
	l, err := time.LoadLocation(name)
	if err != nil {
		return nil, bad
	}
	return l, nil
}

// parseOffset reads ±h, ±hh, ±hh:mm, ±hhmm, ±hh:mm:ss in seconds, at most 18 hours.
func parseOffset(s string) (int, bool) {
	sign, body := 1, s[1:]
	if s[0] == '-' {
		sign = -1
	}
	parts := strings.Split(body, ":")
	if len(parts) == 1 && len(body) >= 4 {
		parts = []string{body[:2], body[2:4]}
		if len(body) == 6 {
			parts = append(parts, body[4:])
		} else if len(body) != 4 {
			return 0, false
		}
	}
	if len(parts) > 3 {
		return 0, false
	}
	total := 0
	for i, unit := range []int{3600, 60, 1}[:len(parts)] {
		n, err := strconv.Atoi(parts[i])
		if err != nil || len(parts[i]) > 2 || len(parts[i]) == 0 || i > 0 && n > 59 || parts[i][0] == '+' || parts[i][0] == '-' {
			return 0, false
		}
		total += n * unit
	}
	return sign * total, total <= 18*3600
}

func newZone(name string) (*zone, error) {
	l, err := loadZone(name)
	if err != nil {
		return nil, err
	}
	return &zone{loc: l}, nil
}

// at is the offset in seconds at an instant in seconds.
func (z *zone) at(sec int64) int64 {
	if sec >= z.from && sec < z.to {
		return z.offset
	}
	t := time.Unix(sec, 0).In(z.loc)
	_, off := t.Zone()
	start, end := t.ZoneBounds()
	z.from, z.to, z.offset = sec, sec+1, int64(off)
	if !start.IsZero() {
		z.from = start.Unix()
	}
	if !end.IsZero() {
		z.to = end.Unix()
	} else {
		z.to = 1 << 60
	}
	if start.IsZero() {
		z.from = -1 << 60
	}
	return z.offset
}

// local is the wall clock of an instant, both in microseconds.
func (z *zone) local(micros int64) int64 {
	return micros + z.at(floorDiv(micros, microsPerSecond))*microsPerSecond
}

// instant is the inverse of local.
func (z *zone) instant(wall int64) int64 {
	sec := floorDiv(wall, microsPerSecond)
	before, after := z.at(sec-86400), z.at(sec+86400)
	if before == after {
		if off := z.at(sec - before); off == before {
			return wall - off*microsPerSecond
		}
	}
	// the earlier offset is right when the instant that it gives still has it; in a gap it is right too
	if z.at(sec-before) == before {
		return wall - before*microsPerSecond
	}
	if z.at(sec-after) == after {
		return wall - after*microsPerSecond
	}
	return wall - before*microsPerSecond
}
