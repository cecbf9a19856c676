package hudi

import "testing"

// someID is a file id as Hudi makes them.
const someID = "a079bdb3-731c-4894-b855-abfcd6921007-0"

func TestFileNames(t *testing.T) {
	for name, want := range map[string]baseName{
		someID + "_0-203-274_20240418173551906.parquet":        {someID, "0-203-274", "20240418173551906", "parquet"},
		someID + "_0-203-274_20240418173551.parquet":           {someID, "0-203-274", "20240418173551", "parquet"},
		"files-0000-0_0-1-2_00000000000000000.hfile":           {"files-0000-0", "0-1-2", "00000000000000000", "hfile"},
		someID + "_0-203-274_20240418173551906.parquet.crc":    {},
		"._" + someID + "_0-203-274_20240418173551906.parquet": {},
		someID + "_20240418173551906.parquet":                  {},
		"_0-203-274_20240418173551906.parquet":                 {},
		someID + "_0-203-274_2024.parquet":                     {},
		someID + "_0-203-274_20240418173551906":                {},
		"part-0.parquet":                                       {},
		"":                                                     {},
	} {
		got, err := parseBaseName(name)
		if got != want || (err == nil) != (want != baseName{}) {
			t.Errorf("%q: %v, %v", name, got, err)
		}
		if err == nil && got.String() != name {
			t.Errorf("%q is written %q", name, got)
		}
	}
	for name, want := range map[string]logName{
		"." + someID + "_20240418173551906.log.1_0-93-130":           {someID, "20240418173551906", 1, "0-93-130", false},
		"." + someID + "_20240418173551906.log.12":                   {someID, "20240418173551906", 12, "", false},
		"." + someID + "_20240418173551906.log.1_0-93-130.cdc":       {someID, "20240418173551906", 1, "0-93-130", true},
		"._" + someID + "_20240418173551906.log.1_0-93-130":          {},
		"." + someID + "_20240418173551906.log.01_0-93-130":          {},
		"." + someID + "_20240418173551906.log.-1_0-93-130":          {},
		"." + someID + "_20240418173551906.log.1_":                   {},
		"." + someID + "_20240418173551906.log.1_0-93-130.crc":       {},
		"." + someID + ".log.1":                                      {},
		".hoodie_partition_metadata":                                 {},
		someID + "_20240418173551906.log.1_0-93-130":                 {},
		"." + someID + "_20240418173551906.log.99999999999999999999": {},
	} {
		got, err := parseLogName(name)
		if got != want || (err == nil) != (want != logName{}) {
			t.Errorf("%q: %v, %v", name, got, err)
		}
		if err == nil && got.String() != name {
			t.Errorf("%q is written %q", name, got)
		}
	}
}

func FuzzFileName(f *testing.F) {
	f.Add(someID + "_0-203-274_20240418173551906.parquet")
	f.Add("." + someID + "_20240418173551906.log.1_0-93-130.cdc")
	f.Fuzz(func(t *testing.T, name string) {
		if n, err := parseBaseName(name); err == nil && n.String() != name {
			t.Errorf("%q is written %q", name, n)
		}
		if n, err := parseLogName(name); err == nil && n.String() != name {
			t.Errorf("%q is written %q", name, n)
		}
	})
}
