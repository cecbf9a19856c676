package syntax

import (
	"regexp"
	"strconv"
	"strings"
	"time"
)

// The forms that Spark accepts in date, timestamp and time literals.
var (
	dateForm      = regexp.MustCompile(`^([+-]?)(\d{4,7})(?:-(\d{1,2})(?:-(\d{1,2})(?:[ T].*)?)?)?$`)
	timestampForm = regexp.MustCompile(`^(?:([+-]?)(\d{4,6})(?:-(\d{1,2})(?:-(\d{1,2}))?)?)?(?:(?:^|^T|[ T])(\d{1,2})(?::(\d{1,2}))?(?::(\d{1,2})(?:\.(\d*))?)?\s*(.*))?$`)
	timeForm      = regexp.MustCompile(`^T?(\d{1,2}):(\d{1,2})(?::(\d{1,2})(?:\.(\d*))?)?(?: *([AaPp][Mm]))?$`)
	specialForm   = regexp.MustCompile(`(?i)^(epoch|now|today|tomorrow|yesterday)[ \t]*(.*)$`)
	zoneForm      = regexp.MustCompile(`^(?:Z|(?:UTC|GMT|UT)?(?:[+-]\d{1,2}(?::\d{1,2}(?::\d{1,2})?|\d{2}(?:\d{2})?)?)?|[A-Za-z][A-Za-z0-9~/._+-]*)$`)
)

// trimBlank trims what Spark trims around literals: control characters and
// white space.
func trimBlank(s string) string {
	return strings.TrimFunc(s, func(r rune) bool { return r <= ' ' || r == 0x7f })
}

// validDate reports whether s is the text of a DATE literal.
func validDate(s string) bool {
	s = trimBlank(s)
	if m := specialForm.FindStringSubmatch(s); m != nil {
		return validZone(m[2])
	}
	m := dateForm.FindStringSubmatch(s)
	return m != nil && validDay(m[1], m[2], m[3], m[4])
}

// validDay reports whether the parts, the last of which may be missing, name
// a day that a DATE can hold.
func validDay(sign, year, month, day string) bool {
	y, mo, d := atoi(year, 0), atoi(month, 1), atoi(day, 1)
	if sign == "-" {
		y = -y
	}
	if mo < 1 || mo > 12 || d < 1 || d > 31 {
		return false
	}
	t := time.Date(y, time.Month(mo), d, 0, 0, 0, 0, time.UTC)
	return t.Day() == d && y >= -5877641 && y <= 5881580
}

func atoi(s string, missing int) int {
	if s == "" {
		return missing
	}
	n, err := strconv.Atoi(s)
	if err != nil {
		return -1
	}
	return n
}

// validTimestamp reports whether s is the text of a timestamp literal. Only
// with an instant (zoned) may the date be missing.
func validTimestamp(s string, zoned bool) bool {
	s = trimBlank(s)
	if m := specialForm.FindStringSubmatch(s); m != nil {
		return validZone(m[2])
	}
	m := timestampForm.FindStringSubmatch(s)
	if m == nil || s == "" {
		return false
	}
	hasDate, hasTime := m[2] != "", m[5] != ""
	switch {
	case !hasDate && (!zoned || m[6] == ""):
		return false
	case hasDate && hasTime && m[4] == "":
		return false
	case hasDate && (!validDay(m[1], m[2], m[3], m[4]) || atoi(m[2], 0) > 294247):
		return false
	}
	return validClock(m[5], m[6], m[7]) && validZone(m[9])
}

func validClock(hour, minute, second string) bool {
	return inRange(hour, 23) && inRange(minute, 59) && inRange(second, 59)
}

func inRange(s string, most int) bool {
	n := atoi(s, 0)
	return n >= 0 && n <= most
}

// validTime reports whether s is the text of a TIME literal.
func validTime(s string) bool {
	m := timeForm.FindStringSubmatch(trimBlank(s))
	if m == nil || len(m[4]) > 9 {
		return false
	}
	if m[5] != "" {
		return atoi(m[1], 0) >= 1 && atoi(m[1], 0) <= 12 && validClock("", m[2], m[3])
	}
	return validClock(m[1], m[2], m[3])
}

// validZone reports whether s may name a time zone. Offsets are checked;
// regions are known by the system's list, and where there is none, by form.
func validZone(s string) bool {
	s = trimBlank(s)
	if s == "" {
		return true
	}
	if !zoneForm.MatchString(s) {
		return false
	}
	if i := strings.IndexAny(s, "+-"); i >= 0 && !strings.Contains(s, "/") {
		return validOffset(s[i+1:])
	}
	if s == "Z" || s == "UTC" || s == "GMT" || s == "UT" || len(s) == 3 {
		return true
	}
	_, err := time.LoadLocation(s)
	return err == nil
}

func validOffset(s string) bool {
	h, rest, colon := strings.Cut(s, ":")
	if !colon && len(s) > 2 {
		h, rest = s[:2], s[2:4]
	}
	hours, minutes := atoi(h, 0), atoi(strings.SplitN(rest, ":", 2)[0], 0)
	return hours <= 18 && minutes <= 59 && (hours < 18 || minutes == 0)
}
