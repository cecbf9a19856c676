package timeline

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"

	"github.com/tarn-lake/tarn/storage"
)

// A MarkerType says what a write does with a file that it has marked.
type MarkerType string

// The types of markers. Log files of layout 2 are created like base files.
const (
	CreateMarker MarkerType = "CREATE" // a new file of a new file group, or a log file of layout 2
	MergeMarker  MarkerType = "MERGE"  // a new base file of a file group
	AppendMarker MarkerType = "APPEND" // blocks appended to a log file of layout 1
)

// A Marker is a file that a write has begun, by its name in the table. It is there
// before the file, so that a failed write can be undone without listing the table.
type Marker struct {
	Path string
	Type MarkerType
}

// tempDir holds the markers of all instants, each in a folder.
const tempDir = ".hoodie/.temp"

// Names of files in which Hudi's timeline server keeps markers: the type of
// markers, and lists of them, MARKERS0 and so on.
const (
	markersFile     = "MARKERS"
	markersTypeFile = "MARKERS.type"
)

const markerInfix = ".marker."

func (m Marker) name() string { return m.Path + markerInfix + string(m.Type) }

// parseMarker parses the name of a marker relative to the folder of its instant.
func parseMarker(name string) (Marker, error) {
	at := strings.LastIndex(name, markerInfix)
	if at < 0 {
		return Marker{}, fmt.Errorf("marker %q: no %s", name, markerInfix)
	}
	m := Marker{name[:at], MarkerType(name[at+len(markerInfix):])}
	if m.Type != CreateMarker && m.Type != MergeMarker && m.Type != AppendMarker {
		return Marker{}, fmt.Errorf("marker %q: unknown type %q", name, m.Type)
	}
	if err := storage.CheckName(m.Path); err != nil {
		return Marker{}, fmt.Errorf("marker: %w", err)
	}
	return m, nil
}

// Mark says that a write is about to make a file. Marking it twice is fine.
func Mark(ctx context.Context, b storage.Bucket, instant string, m Marker) error {
	err := storage.WriteFile(ctx, b, path.Join(tempDir, instant, m.name()), storage.Exclusive, nil)
	if err != nil && !errors.Is(err, fs.ErrExist) {
		return fmt.Errorf("mark %s: %w", m.Path, err)
	}
	return nil
}

// Markers returns the markers of an instant, by their names: those that stand by
// themselves, as Mark makes them, and those that Hudi's timeline server has
// written into lists.
func Markers(ctx context.Context, b storage.Bucket, instant string) ([]Marker, error) {
	var out []Marker
	dir := path.Join(tempDir, instant)
	for info, err := range b.List(ctx, dir, "") {
		if err != nil {
			return nil, fmt.Errorf("markers of %s: %w", instant, err)
		}
		name := strings.TrimPrefix(info.Name, dir+"/")
		switch {
		case name == markersTypeFile || strings.HasSuffix(name, ".crc"):
		case strings.HasPrefix(name, markersFile) && digits(name[len(markersFile):]):
			listed, err := markerList(ctx, b, info.Name)
			if err != nil {
				return nil, fmt.Errorf("markers of %s: %w", instant, err)
			}
			out = append(out, listed...)
		default:
			m, err := parseMarker(name)
			if err != nil {
				return nil, fmt.Errorf("markers of %s: %w", instant, err)
			}
			out = append(out, m)
		}
	}
	slices.SortFunc(out, func(a, b Marker) int { return strings.Compare(a.name(), b.name()) })
	return slices.Compact(out), nil
}

// markerList reads a file with a marker a line.
func markerList(ctx context.Context, b storage.Bucket, name string) (out []Marker, err error) {
	data, err := storage.ReadFile(ctx, b, name, maxRecord)
	if err != nil {
		return nil, err
	}
	lines := bufio.NewScanner(bytes.NewReader(data))
	for lines.Scan() {
		if lines.Text() == "" {
			continue
		}
		m, err := parseMarker(lines.Text())
		if err != nil {
			return nil, err
		}
		out = append(out, m)
	}
	return out, lines.Err()
}

// RemoveMarkers removes all markers of an instant: the last step of a write that
// is done, and of undoing one that is not.
func RemoveMarkers(ctx context.Context, b storage.Bucket, instant string) error {
	if err := storage.RemoveAll(ctx, b, path.Join(tempDir, instant)); err != nil {
		return fmt.Errorf("remove markers of %s: %w", instant, err)
	}
	return nil
}

// list returns the names of all files below a folder.
func list(ctx context.Context, b storage.Bucket, dir string) (names []string, err error) {
	for info, err := range b.List(ctx, dir, "") {
		if err != nil {
			return nil, err
		}
		names = append(names, info.Name)
	}
	return names, nil
}
