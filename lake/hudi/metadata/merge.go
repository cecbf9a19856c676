package metadata

// merge is what holds after next came upon prev, of the same key. Both may be used in the result. (HoodieMetadataPayload.)
func merge(prev, next *Record) *Record {
	if prev == nil {
		return next
	}
	switch {
	case next.Files != nil && prev.Files != nil:
		out := *next
		out.Files = mergeFiles(prev.Files, next.Files)
		return &out
	case next.Stats != nil && prev.Stats != nil:
		out := *next
		out.Stats = mergeStats(prev.Stats, next.Stats)
		return &out
	}
	return next
}

// mergeFiles keeps what next says. A file that it deletes and prev has not stays as deleted: what is merged may yet be merged
// upon something that has it.
func mergeFiles(prev, next map[string]FileState) map[string]FileState {
	out := make(map[string]FileState, len(prev)+len(next))
	for name, f := range prev {
		out[name] = f
	}
	for name, f := range next {
		// Log files only grow: of two sizes the larger is the later one.
		if old, ok := out[name]; ok && !f.Deleted && !old.Deleted {
			f.Size = max(f.Size, old.Size)
		}
		out[name] = f
	}
	return out
}

// mergeStats is next, or where a file has grown the bounds of both.
func mergeStats(prev, next *Stats) *Stats {
	if prev.Deleted || next.Deleted || next.Tight {
		return next
	}
	prev, next = alike(prev, next)
	out := *next
	if next.Min.Wrapper == NoValue && prev.Min.Wrapper != NoValue {
		out.Type = prev.Type
	}
	out.Min = outer(prev.Min, next.Min, prev.Values == prev.Nulls, next.Values == next.Nulls, out.Type, false)
	out.Max = outer(prev.Max, next.Max, prev.Values == prev.Nulls, next.Values == next.Nulls, out.Type, true)
	out.Values, out.Nulls = sum(prev.Values, next.Values), sum(prev.Nulls, next.Nulls)
	out.Size, out.Uncompressed = sum(prev.Size, next.Size), sum(prev.Uncompressed, next.Uncompressed)
	return &out
}

// outer is the smaller or larger of two bounds. A side without values has none; a bound that is missing although there are
// values is unknown, and so is that of both.
func outer(a, b Value, emptyA, emptyB bool, kind ValueType, larger bool) Value {
	switch {
	case a.Wrapper == NoValue && emptyA:
		return b
	case b.Wrapper == NoValue && emptyB:
		return a
	}
	first, ok := less(a, b, kind)
	switch {
	case !ok:
		return Value{}
	case first != larger:
		return a
	}
	return b
}

func sum(a, b int64) int64 {
	if a < 0 || b < 0 {
		return -1
	}
	return a + b
}
