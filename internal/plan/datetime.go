package plan

import (
	"regexp"
	"strconv"
	"strings"
	"time"
)

const (
	second = int64(1_000_000) // in microseconds, as all times here
	minute = 60 * second
	hour   = 60 * minute
	day    = 24 * hour
)

// moment is a reading of a wall clock, perhaps with the zone it stood in.
type moment struct {
	local int64 // microseconds since 1970-01-01T00:00:00
	zoned bool
	zone  *time.Location // in which local is read, where an instant is wanted; nil is that of the session
}

var (
	datePattern = regexp.MustCompile(`^([+-]?\d{4,7})(?:-(\d{1,2})(?:-(\d{1,2})(?:[T ](.*))?)?)?$`)
	timePattern = regexp.MustCompile(`^[T]?(\d{1,2}):(\d{1,2})(?::(\d{1,2})(?:\.(\d*))?)?(.*)$`)
)

// date reads Spark's spelling of a date: year, year-month or year-month-day, anything behind a T or a blank, and the
// words epoch, now, today, tomorrow and yesterday.
func (a *analyzer) date(s string) (int32, bool) {
	s = strings.TrimSpace(s)
	if us, ok := a.specialTime(s, true); ok {
		return int32(floorDiv(us, day)), true
	}
	m := datePattern.FindStringSubmatch(s)
	if m == nil {
		return 0, false
	}
	d, ok := days(m[1], m[2], m[3])
	return int32(d), ok
}

// days is the day number of a date whose month and day may be missing.
func days(year, month, dayOfMonth string) (int64, bool) {
	y, err := strconv.Atoi(strings.TrimPrefix(year, "+"))
	mo, d := 1, 1
	if month != "" {
		mo, _ = strconv.Atoi(month)
	}
	if dayOfMonth != "" {
		d, _ = strconv.Atoi(dayOfMonth)
	}
	t := time.Date(y, time.Month(mo), d, 0, 0, 0, 0, time.UTC)
	ok := err == nil && t.Year() == y && int(t.Month()) == mo && t.Day() == d
	return floorDiv(t.Unix(), 86400), ok
}

// moment reads Spark's spelling of a timestamp.
func (a *analyzer) moment(s string) (moment, bool) {
	s = strings.TrimSpace(s)
	if w, ok := a.specialMoment(s); ok {
		return w, true
	}
	m := datePattern.FindStringSubmatch(s)
	if m == nil {
		return moment{}, false
	}
	d, ok := days(m[1], m[2], m[3])
	if !ok {
		return moment{}, false
	}
	if m[4] == "" {
		return moment{local: d * day}, true
	}
	us, _, rest, ok := clockPrefix(m[4])
	if !ok {
		return moment{}, false
	}
	w := moment{local: d*day + us}
	if rest = strings.TrimSpace(rest); rest != "" {
		w.zoned = true
		w.zone, ok = location(rest)
	}
	return w, ok
}

// clock reads a time of day: hour:minute, or hour:minute:second with a fraction. digits counts those of the fraction.
func clock(s string) (us int64, digits int, ok bool) {
	us, digits, rest, ok := clockPrefix(s)
	return us, digits, ok && rest == ""
}

func clockPrefix(s string) (us int64, digits int, rest string, ok bool) {
	m := timePattern.FindStringSubmatch(s)
	if m == nil {
		return 0, 0, "", false
	}
	h, _ := strconv.Atoi(m[1])
	mi, _ := strconv.Atoi(m[2])
	sec, _ := strconv.Atoi("0" + m[3])
	frac := (m[4] + "000000")[:6]
	f, _ := strconv.Atoi(frac)
	us = int64(h)*hour + int64(mi)*minute + int64(sec)*second + int64(f)
	return us, min(len(m[4]), 6), m[5], h < 24 && mi < 60 && sec < 60
}

// specialMoment is a word that stands for a time. The name of a zone behind it must be one, and changes nothing, as in Spark.
// The epoch is an instant, where one is wanted.
func (a *analyzer) specialMoment(s string) (moment, bool) {
	word, zone, named := strings.Cut(s, " ")
	us, ok := a.specialTime(word, false)
	if !ok {
		return moment{}, false
	}
	if named {
		if _, ok = location(strings.TrimSpace(zone)); !ok {
			return moment{}, false
		}
	}
	w := moment{local: us}
	if strings.EqualFold(word, "epoch") {
		w.zone = time.UTC
	}
	return w, true
}

// specialTime reads the words that stand for dates and times. For a date, now is today.
func (a *analyzer) specialTime(s string, wantDate bool) (int64, bool) {
	word := strings.ToLower(s)
	if word == "epoch" {
		return 0, true
	}
	offset, ok := map[string]int64{"now": 0, "today": 0, "tomorrow": 1, "yesterday": -1}[word]
	if !ok {
		return 0, false
	}
	now := wall(time.Now(), a.zone())
	if word == "now" && !wantDate {
		return now, true
	}
	return (floorDiv(now, day) + offset) * day, true
}

// wall is what a clock in zone shows at t.
func wall(t time.Time, zone *time.Location) int64 {
	_, offset := t.In(zone).Zone()
	return t.UnixMicro() + int64(offset)*second
}

// instant is the moment in time of a wall clock reading, in its own zone or that of the session.
func (a *analyzer) instant(w moment) int64 {
	zone := w.zone
	if zone == nil {
		zone = a.zone()
	}
	t := time.UnixMicro(w.local).UTC()
	at := time.Date(t.Year(), t.Month(), t.Day(), t.Hour(), t.Minute(), t.Second(), t.Nanosecond(), zone)
	return at.UnixMicro()
}

func (a *analyzer) zone() *time.Location {
	if z, ok := location(a.set.Zone); ok {
		return z
	}
	return time.UTC
}

var offsetPattern = regexp.MustCompile(`^(?:UTC|GMT|UT)?([+-])(\d{1,2})(?::?(\d{2}))?(?::?(\d{2}))?$`)

// location is the time zone that a name or an offset stands for.
func location(name string) (*time.Location, bool) {
	if name == "Z" || name == "" {
		return time.UTC, true
	}
	if m := offsetPattern.FindStringSubmatch(name); m != nil {
		h, _ := strconv.Atoi(m[2])
		mi, _ := strconv.Atoi("0" + m[3])
		s, _ := strconv.Atoi("0" + m[4])
		n := h*3600 + mi*60 + s
		if m[1] == "-" {
			n = -n
		}
		return time.FixedZone(name, n), n <= 18*3600 && n >= -18*3600
	}
	if long, ok := shortZones[name]; ok {
		name = long
	}
	z, err := time.LoadLocation(name)
	return z, err == nil && name != "Local"
}

// shortZones are the three letter zones that Java knows and the zone database does not.
var shortZones = map[string]string{"PST": "America/Los_Angeles", "CST": "America/Chicago", "IST": "Asia/Kolkata",
	"JST": "Asia/Tokyo", "ECT": "Europe/Paris", "CTT": "Asia/Shanghai", "ACT": "Australia/Darwin",
	"AET": "Australia/Sydney", "NST": "Pacific/Auckland", "PDT": "America/Los_Angeles", "UT": "UTC"}

func floorDiv(a, b int64) int64 {
	q := a / b
	if a%b != 0 && (a < 0) != (b < 0) {
		q--
	}
	return q
}
