package parquet

import "io"

// Entries are the entries of keys and values in the footer of a file, and the number of rows that it declares. Nothing else of the file
// is looked at or checked.
func Entries(r io.ReaderAt, size int64, lim Limits) (entries map[string]string, rows int64, err error) {
	text, err := footerText(r, size, lim.orDefault())
	if err != nil {
		return nil, 0, err
	}
	t := &thrift{b: text}
	entries = map[string]string{}
	t.fields(func(id int16, kind byte) {
		switch {
		case id == 3 && t.want(kind, tI64):
			rows = t.int()
		case id == 5 && t.want(kind, tList):
			n, elem := t.list()
			for i := 0; i < n && t.want(elem, tStruct); i++ {
				key, value := t.entry()
				entries[key] = value
			}
		case id != 3 && id != 5:
			t.skip(kind, 0)
		}
	})
	return entries, rows, t.err
}

// entry is a struct of a key and a value.
func (r *thrift) entry() (key, value string) {
	r.fields(func(id int16, kind byte) {
		switch {
		case id == 1 && r.want(kind, tBinary):
			key = string(r.bytes())
		case id == 2 && r.want(kind, tBinary):
			value = string(r.bytes())
		case id != 1 && id != 2:
			r.skip(kind, 0)
		}
	})
	return key, value
}
