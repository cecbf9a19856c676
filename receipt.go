package tarn

import (
	"fmt"
	"strings"

	"github.com/go-json-experiment/json"
)

// Receipt tells what one statement wrote.
type Receipt struct {
	Operation    string  `json:"operation"`              // as in the table's history: MERGE, WRITE, …; "" where nothing was done, as [Ignore] asks
	Table        string  `json:"table"`                  // its name, or its path
	Version      int64   `json:"version"`                // that was committed; -1 for a table that keeps none
	ReadVersion  *int64  `json:"read_version,omitempty"` // that the statement read; nil for a new table
	FilesAdded   int     `json:"files_added"`
	FilesRemoved int     `json:"files_removed"`
	Updated      int64   `json:"rows_updated"`
	Deleted      int64   `json:"rows_deleted"`
	Inserted     int64   `json:"rows_inserted"`
	Ignored      int64   `json:"rows_ignored,omitzero"` // that were given and changed nothing: the table has newer ones, or their keys
	Seconds      float64 `json:"seconds"`
	Isolation    string  `json:"isolation,omitempty"` // such as Serializable
	Retries      int     `json:"retries"`             // how often the commit gave way to another writer's

	Warnings []string `json:"warnings,omitempty"` // what the statement asked for and did not get, though nothing failed
}

// String is the receipt as one line:
//
//	committed version 1 · +2 files −1 file · 118 updated, 7 inserted · 0.4 s · read version 0, serializable
func (r *Receipt) String() string {
	parts := []string{fmt.Sprintf("committed version %d", r.Version)}
	switch {
	case r.Operation == "" && r.Version < 0:
		parts[0] = "nothing done: the table is there"
	case r.Version < 0:
		parts[0] = "written"
	}
	parts = addPart(parts, " ", count(r.FilesAdded > 0, "+", r.FilesAdded), count(r.FilesRemoved > 0, "−", r.FilesRemoved))
	parts = addPart(parts, ", ", number(r.Updated, "updated"), number(r.Deleted, "deleted"), number(r.Inserted, "inserted"), number(r.Ignored, "ignored"))
	parts = append(parts, seconds(r.Seconds))
	read := ""
	if r.ReadVersion != nil {
		read = fmt.Sprintf("read version %d", *r.ReadVersion)
	}
	retries := ""
	switch {
	case r.Retries == 1:
		retries = "1 retry"
	case r.Retries > 1:
		retries = fmt.Sprintf("%d retries", r.Retries)
	}
	parts = addPart(parts, ", ", read, strings.ToLower(r.Isolation), retries)
	return strings.Join(parts, " · ")
}

// JSON is the receipt as one JSON object on one line.
func (r *Receipt) JSON() string {
	b, err := json.Marshal(r)
	if err != nil {
		panic("tarn: a receipt cannot be encoded: " + err.Error())
	}
	return string(b)
}

func addPart(parts []string, sep string, words ...string) []string {
	var some []string
	for _, w := range words {
		if w != "" {
			some = append(some, w)
		}
	}
	if len(some) == 0 {
		return parts
	}
	return append(parts, strings.Join(some, sep))
}

func count(set bool, sign string, n int) string {
	switch {
	case !set:
		return ""
	case n == 1:
		return sign + "1 file"
	}
	return fmt.Sprintf("%s%d files", sign, n)
}

func number(n int64, what string) string {
	if n == 0 {
		return ""
	}
	return fmt.Sprintf("%d %s", n, what)
}

func seconds(s float64) string {
	switch {
	case s < 0.0995:
		return fmt.Sprintf("%.0f ms", s*1000)
	case s < 99.95:
		return fmt.Sprintf("%.1f s", s)
	}
	return fmt.Sprintf("%.0f s", s)
}
