package duckdb

import (
	"bytes"
	"cmp"
	"fmt"
	"math"
	"math/big"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"

	"github.com/apache/arrow-go/v18/arrow/decimal128"

	"github.com/tarn-lake/tarn/rel"
	"github.com/tarn-lake/tarn/types"
)

// collectionFunctions compute on arrays and maps.
var collectionFunctions = map[string]udf{
	"map":                valueUDF(makeMap),
	"map_from_arrays":    valueUDF(strict(mapFromArrays)),
	"map_from_entries":   valueUDF(strict(mapFromEntries)),
	"map_concat":         valueUDF(strict(mapConcat)),
	"array_distinct":     valueUDF(strict(func(_ use, r *row) (types.Value, error) { return distinct(r.list(0)), nil })),
	"array_union":        valueUDF(strict(func(_ use, r *row) (types.Value, error) { return distinct(slices.Concat(r.list(0), r.list(1))), nil })),
	"array_intersect":    valueUDF(strict(func(_ use, r *row) (types.Value, error) { return matching(r.list(0), r.list(1), true), nil })),
	"array_except":       valueUDF(strict(func(_ use, r *row) (types.Value, error) { return matching(r.list(0), r.list(1), false), nil })),
	"arrays_overlap":     valueUDF(strict(arraysOverlap)),
	"array_contains":     valueUDF(strict(arrayContains)),
	"array_position":     valueUDF(strict(arrayPosition)),
	"array_remove":       valueUDF(strict(arrayRemove)),
	"array_insert":       valueUDF(arrayInsert),
	"array_repeat":       valueUDF(arrayRepeat),
	"array_join":         valueUDF(arrayJoin),
	"sort_array":         valueUDF(strict(sortArray)),
	"slice":              valueUDF(strict(slice)),
	"flatten":            valueUDF(strict(flatten)),
	"sequence":           {nulls: true, make: sequence},
	"element_at":         valueUDF(strict(elementAt)),
	"shuffle":            {nulls: true, volatile: true, make: valueUDF(strict(shuffle)).make},
	"array_min":          valueUDF(strict(func(_ use, r *row) (types.Value, error) { return extreme(r.list(0), -1), nil })),
	"array_max":          valueUDF(strict(func(_ use, r *row) (types.Value, error) { return extreme(r.list(0), 1), nil })),
	"map_zip_with_pairs": valueUDF(strict(mapZipPairs)),
	"map_contains_key":   valueUDF(strict(mapContainsKey)),
	"reverse_array": valueUDF(strict(func(_ use, r *row) (types.Value, error) {
		l := r.list(0)
		slices.Reverse(l)
		return l, nil
	})),
}

// compare orders two values as ORDER BY does: NULL first, NaN last, structs and arrays part by part.
func compare(a, b types.Value) int {
	switch {
	case a == nil && b == nil:
		return 0
	case a == nil:
		return -1
	case b == nil:
		return 1
	}
	switch a := a.(type) {
	case bool:
		return cmp.Compare(fmt.Sprint(a), fmt.Sprint(b)) // false < true
	case int64:
		return cmp.Compare(a, b.(int64))
	case int32:
		return cmp.Compare(a, b.(int32))
	case float32:
		return compareFloats(float64(a), float64(b.(float32)))
	case float64:
		return compareFloats(a, b.(float64))
	case string:
		return strings.Compare(a, b.(string))
	case []byte:
		return bytes.Compare(a, b.([]byte))
	case decimal128.Num:
		return a.BigInt().Cmp(b.(decimal128.Num).BigInt())
	case []types.Value:
		return slices.CompareFunc(a, b.([]types.Value), compare)
	case types.Interval:
		x, y := a, b.(types.Interval)
		return cmp.Or(cmp.Compare(x.Months, y.Months), cmp.Compare(x.Days, y.Days), cmp.Compare(x.Micros, y.Micros))
	case []types.Pair:
		return slices.CompareFunc(a, b.([]types.Pair), func(p, q types.Pair) int { return cmp.Or(compare(p.Key, q.Key), compare(p.Value, q.Value)) })
	}
	return 0
}

func compareFloats(a, b float64) int {
	switch na, nb := math.IsNaN(a), math.IsNaN(b); {
	case na && nb:
		return 0
	case na:
		return 1
	case nb:
		return -1
	}
	return cmp.Compare(a, b)
}

// index finds v in l, NULL as NULL.
func index(l []types.Value, v types.Value) int {
	return slices.IndexFunc(l, func(x types.Value) bool { return compare(x, v) == 0 })
}

// distinctKey makes values comparable in a map.
func distinctKey(v types.Value) string { return fmt.Sprintf("%T %v", v, v) }

func distinct(l []types.Value) []types.Value {
	seen := map[string]bool{}
	out := []types.Value{}
	for _, v := range l {
		if f, ok := v.(float64); ok && f == 0 {
			v = 0.0
		}
		if k := distinctKey(v); !seen[k] {
			seen[k] = true
			out = append(out, v)
		}
	}
	return out
}

// matching are the different values of a that are in b, or are not.
func matching(a, b []types.Value, in bool) []types.Value {
	out := []types.Value{}
	for _, v := range distinct(a) {
		if (index(b, v) >= 0) == in {
			out = append(out, v)
		}
	}
	return out
}

func arraysOverlap(_ use, r *row) (types.Value, error) {
	a, b := r.list(0), r.list(1)
	for _, v := range a {
		if v != nil && index(b, v) >= 0 {
			return true, nil
		}
	}
	if len(a) > 0 && len(b) > 0 && (index(a, nil) >= 0 || index(b, nil) >= 0) {
		return nil, nil
	}
	return false, nil
}

func arrayContains(_ use, r *row) (types.Value, error) {
	l := r.list(0)
	if index(l, r.value(1)) >= 0 {
		return true, nil
	}
	if index(l, nil) >= 0 {
		return nil, nil
	}
	return false, nil
}

func arrayPosition(_ use, r *row) (types.Value, error) {
	return int64(index(r.list(0), r.value(1)) + 1), nil
}

func arrayRemove(_ use, r *row) (types.Value, error) {
	v := r.value(1)
	return slices.DeleteFunc(r.list(0), func(x types.Value) bool { return x != nil && compare(x, v) == 0 }), nil
}

// maxElements bounds the arrays that functions make: Spark's own limit is 2^31-15.
const maxElements = 1 << 27

// arrayInsert puts a value at a position from 1, or from the end for a negative one.
func arrayInsert(u use, r *row) (types.Value, error) {
	if r.null(0) || r.null(1) {
		return nil, nil
	}
	l, pos, v := r.list(0), r.int(1), r.value(2)
	if pos == 0 {
		return nil, raiseError("INVALID_INDEX_OF_ZERO")
	}
	if pos > maxElements || pos < -maxElements {
		return nil, raiseError("COLLECTION_SIZE_LIMIT_EXCEEDED.FUNCTION", "numberOfElements", intText(pos), "maxRoundedArrayLength", "2147483632", "functionName", "`array_insert`")
	}
	if pos > 0 {
		for int64(len(l)) < pos-1 {
			l = append(l, nil)
		}
		return slices.Insert(l, int(pos-1), v), nil
	}
	at := int64(len(l)) + pos + 1
	if at >= 0 {
		return slices.Insert(l, int(at), v), nil
	}
	out := append([]types.Value{v}, make([]types.Value, -at)...)
	return append(out, l...), nil
}

func arrayRepeat(_ use, r *row) (types.Value, error) {
	if r.null(1) {
		return nil, nil
	}
	n := r.int(1)
	if n > maxElements {
		return nil, raiseError("COLLECTION_SIZE_LIMIT_EXCEEDED.PARAMETER", "numberOfElements", intText(n), "parameter", "`count`", "maxRoundedArrayLength", "2147483632", "functionName", "`array_repeat`")
	}
	return slices.Repeat([]types.Value{r.value(0)}, int(max(n, 0))), nil
}

func arrayJoin(_ use, r *row) (types.Value, error) {
	for k := range r.cols {
		if r.null(k) {
			return nil, nil
		}
	}
	var parts []string
	for _, v := range r.list(0) {
		if s, ok := v.(string); ok {
			parts = append(parts, s)
		} else if len(r.cols) > 2 {
			parts = append(parts, strings.Clone(r.text(2)))
		}
	}
	return strings.Join(parts, r.text(1)), nil
}

// sortArray sorts upwards with NULL first, or downwards with NULL last; with the template's "last", NULL is last.
func sortArray(u use, r *row) (types.Value, error) {
	l := r.list(0)
	down := len(r.cols) > 1 && !r.bool(1)
	slices.SortStableFunc(l, func(a, b types.Value) int {
		if u.param == "last" && (a == nil) != (b == nil) {
			return -compare(a, b)
		}
		if down {
			return compare(b, a)
		}
		return compare(a, b)
	})
	return l, nil
}

func slice(_ use, r *row) (types.Value, error) {
	l, start, n := r.list(0), r.int(1), r.int(2)
	if start == 0 {
		return nil, raiseError("INVALID_PARAMETER_VALUE.START", "parameter", "`start`", "functionName", "`slice`")
	}
	if n < 0 {
		return nil, raiseError("INVALID_PARAMETER_VALUE.LENGTH", "parameter", "`length`", "length", intText(n), "functionName", "`slice`")
	}
	if start < 0 {
		start += int64(len(l)) + 1
	}
	if start < 1 || start > int64(len(l)) {
		return []types.Value{}, nil
	}
	return l[start-1 : min(start-1+n, int64(len(l)))], nil
}

func flatten(_ use, r *row) (types.Value, error) {
	out := []types.Value{}
	for _, v := range r.list(0) {
		if v == nil {
			return nil, nil
		}
		out = append(out, v.([]types.Value)...)
	}
	return out, nil
}

func extreme(l []types.Value, sign int) types.Value {
	var best types.Value
	for _, v := range l {
		if v != nil && (best == nil || compare(v, best)*sign > 0) {
			best = v
		}
	}
	return best
}

func shuffle(_ use, r *row) (types.Value, error) {
	l := r.list(0)
	rand.Shuffle(len(l), func(i, j int) { l[i], l[j] = l[j], l[i] })
	return l, nil
}

// elementAt counts from 1, or from the end for a negative position; or looks a key up.
func elementAt(u use, r *row) (types.Value, error) {
	if _, ok := u.args[0].(types.Map); ok {
		for _, p := range r.value(0).([]types.Pair) {
			if compare(p.Key, r.value(1)) == 0 {
				return p.Value, nil
			}
		}
		return nil, nil
	}
	l, i := r.list(0), r.int(1)
	switch {
	case i == 0:
		return nil, raiseError("INVALID_INDEX_OF_ZERO")
	case i < 0:
		i += int64(len(l)) + 1
	}
	if i < 1 || i > int64(len(l)) {
		if u.mode != rel.ANSI {
			return nil, nil
		}
		return nil, raiseError("INVALID_ARRAY_INDEX_IN_ELEMENT_AT", "indexValue", intText(r.int(1)), "arraySize", strconv.Itoa(len(l)))
	}
	return l[i-1], nil
}

func duplicateKey(k types.Value) error {
	return raiseError("DUPLICATED_MAP_KEY", "key", fmt.Sprint(k), "mapKeyDedupPolicy", `"spark.sql.mapKeyDedupPolicy"`)
}

// pairs checks the keys of a map under construction.
func pairs(ps []types.Pair) (types.Value, error) {
	seen := make(map[string]bool, len(ps))
	for _, p := range ps {
		if p.Key == nil {
			return nil, raiseError("NULL_MAP_KEY")
		}
		k := distinctKey(p.Key)
		if seen[k] {
			return nil, duplicateKey(p.Key)
		}
		seen[k] = true
	}
	return ps, nil
}

func makeMap(_ use, r *row) (types.Value, error) {
	var ps []types.Pair
	for k := 0; k < len(r.cols); k += 2 {
		ps = append(ps, types.Pair{Key: r.value(k), Value: r.value(k + 1)})
	}
	return pairs(ps)
}

func mapFromArrays(_ use, r *row) (types.Value, error) {
	ks, vs := r.list(0), r.list(1)
	if len(ks) != len(vs) {
		return nil, fmt.Errorf("The key array and value array of MapData must have the same length.")
	}
	ps := make([]types.Pair, len(ks))
	for i := range ks {
		ps[i] = types.Pair{Key: ks[i], Value: vs[i]}
	}
	return pairs(ps)
}

func mapFromEntries(_ use, r *row) (types.Value, error) {
	var ps []types.Pair
	for _, e := range r.list(0) {
		kv, ok := e.([]types.Value)
		if !ok {
			return nil, nil
		}
		ps = append(ps, types.Pair{Key: kv[0], Value: kv[1]})
	}
	return pairs(ps)
}

func mapConcat(_ use, r *row) (types.Value, error) {
	var ps []types.Pair
	for k := range r.cols {
		ps = append(ps, r.value(k).([]types.Pair)...)
	}
	return pairs(ps)
}

func mapContainsKey(_ use, r *row) (types.Value, error) {
	k := r.value(1)
	return slices.ContainsFunc(r.value(0).([]types.Pair), func(p types.Pair) bool { return compare(p.Key, k) == 0 }), nil
}

// mapZipPairs lines two maps up: for each key its values in both, as structs of key, first and second.
func mapZipPairs(_ use, r *row) (types.Value, error) {
	a, b := r.value(0).([]types.Pair), r.value(1).([]types.Pair)
	find := func(ps []types.Pair, k types.Value) types.Value {
		for _, p := range ps {
			if compare(p.Key, k) == 0 {
				return p.Value
			}
		}
		return nil
	}
	out := []types.Value{}
	for _, p := range a {
		out = append(out, []types.Value{p.Key, p.Value, find(b, p.Key)})
	}
	for _, p := range b {
		if !slices.ContainsFunc(a, func(q types.Pair) bool { return compare(q.Key, p.Key) == 0 }) {
			out = append(out, []types.Value{p.Key, nil, p.Value})
		}
	}
	return out, nil
}

// sequence is sequence(from, to[, step]) of whole numbers, dates or timestamps.
func sequence(u use) (Eval, error) {
	return func(n int, in []Vec, out *Out) error {
		z, err := newZone(u.zone)
		if err != nil {
			return err
		}
		return valueUDF(strict(func(u use, r *row) (types.Value, error) { return sequenceRow(u, r, z) })).eval(u, n, in, out)
	}, nil
}

func sequenceRow(u use, r *row, z *zone) (types.Value, error) {
	from, to := r.int(0), r.int(1)
	elem := u.result.(types.Array).Elem
	var next func(i int64) int64
	up := from <= to
	switch {
	case types.Integral(elem):
		step := int64(1)
		if len(u.args) > 2 {
			step = r.int(2)
		} else if !up {
			step = -1
		}
		if step == 0 && from != to || step > 0 && !up || step < 0 && up && from != to {
			return nil, illegalSequence(from, to, step)
		}
		if step == 0 {
			return []types.Value{from}, nil
		}
		if n := new(big.Int).Quo(new(big.Int).Sub(big.NewInt(to), big.NewInt(from)), big.NewInt(step)); !n.IsInt64() || n.Int64() > maxElements {
			return nil, raiseError("COLLECTION_SIZE_LIMIT_EXCEEDED.PARAMETER", "numberOfElements", n.String(), "functionName", "`sequence`", "maxRoundedArrayLength", "2147483632", "parameter", "`count`")
		}
		next = func(i int64) int64 { return from + i*step }
	default:
		iv := types.Interval{Days: 1}
		if len(u.args) > 2 {
			iv = shiftBy(use{args: []types.Type{nil, u.args[2]}}, &row{cols: []cells{{}, r.cols[2]}, i: r.i})
		} else if !up {
			iv.Days = -1
		}
		sign := cmp.Or(int64(iv.Months), int64(iv.Days), iv.Micros)
		if sign == 0 && from != to || sign > 0 && !up || sign < 0 && up && from != to {
			return nil, illegalSequence(from, to, sign)
		}
		if sign == 0 {
			iv.Days = 1
		}
		next = func(i int64) int64 { return sequenceTime(elem, from, iv, i, z) }
	}
	res := []types.Value{}
	for i := int64(0); ; i++ {
		v := next(i)
		if up && v > to || !up && v < to || i > maxElements {
			return res, nil
		}
		if elem == types.Date {
			res = append(res, int32(v))
		} else {
			res = append(res, v)
		}
		if v == to {
			return res, nil
		}
	}
}

func illegalSequence(from, to, step int64) error {
	return fmt.Errorf("Illegal sequence boundaries: %d to %d by %d", from, to, step)
}

func sequenceTime(t types.Type, from int64, iv types.Interval, i int64, z *zone) int64 {
	if t == types.Date {
		return addMonths(from, int64(iv.Months)*i) + int64(iv.Days)*i + floorDiv(iv.Micros*i, microsPerDay)
	}
	wall := from
	if t == types.Timestamp {
		wall = z.local(from)
	}
	days := addMonths(floorDiv(wall, microsPerDay), int64(iv.Months)*i) + int64(iv.Days)*i
	wall = days*microsPerDay + floorMod(wall, microsPerDay)
	if t == types.Timestamp {
		return z.instant(wall) + iv.Micros*i
	}
	return wall + iv.Micros*i
}
