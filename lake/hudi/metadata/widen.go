package metadata

import (
	"math"
	"strconv"
)

// alike gives the bounds of a column whose type has become wider between them the same form, the wider one. Others it leaves alone.
func alike(a, b *Stats) (*Stats, *Stats) {
	if x, y := a.width(), b.width(); x > 0 && y > 0 && x != y {
		if x < y {
			return a.widened(b), b
		}
		return a, b.widened(a)
	}
	scaleA, okA := a.scale()
	scaleB, okB := b.scale()
	switch {
	case !okA || !okB || scaleA == scaleB:
		return a, b
	case scaleA < scaleB:
		return a.rescaled(scaleA, scaleB, b.Type), b
	}
	return a, b.rescaled(scaleB, scaleA, a.Type)
}

// width is the place of a number's type in the order of widening, 0 for others.
func (s *Stats) width() Wrapper {
	plain := s.Type.Ordinal == 0 || s.Type.Ordinal >= typeInt && s.Type.Ordinal <= typeDouble
	if w := s.Min.Wrapper; plain && w == s.Max.Wrapper && w >= IntWrapper && w <= DoubleWrapper {
		return w
	}
	return 0
}

// widened is the bounds in the form of those of a wider type.
func (s *Stats) widened(to *Stats) *Stats {
	out := *s
	out.Type = to.Type
	out.Min, out.Max = s.Min.widened(to.Min.Wrapper, math.Min), s.Max.widened(to.Max.Wrapper, math.Max)
	return &out
}

// widened is a number in a wider wrapper. Of a float that becomes a double there are two readings: Parquet's is exact, Hudi goes by
// the shortest decimal number. The bound holds both.
func (v Value) widened(to Wrapper, outer func(x, y float64) float64) Value {
	out := Value{Wrapper: to, Int: v.Int, Float: v.Float}
	switch {
	case v.Wrapper == FloatWrapper:
		short, err := strconv.ParseFloat(strconv.FormatFloat(v.Float, 'g', -1, 32), 64)
		if err == nil {
			out.Float = outer(v.Float, short)
		}
	case to == FloatWrapper:
		out.Int, out.Float = 0, float64(float32(v.Int))
	case to == DoubleWrapper:
		out.Int, out.Float = 0, float64(v.Int)
	}
	return out
}

// scale is that of decimals as version 9 keeps them.
func (s *Stats) scale() (int, bool) {
	if s.Type.Ordinal != typeDecimal || s.Min.Wrapper != BytesWrapper || s.Max.Wrapper != BytesWrapper {
		return 0, false
	}
	_, scale, ok := decimalInfo(s.Type.Info)
	return scale, ok
}

// rescaled is the bounds of decimals at a larger scale.
func (s *Stats) rescaled(from, to int, kind ValueType) *Stats {
	out := *s
	out.Type = kind
	for _, v := range []*Value{&out.Min, &out.Max} {
		n, _ := rescale(signed(v.Bytes), from, to)
		v.Bytes = unsigned(n)
	}
	return &out
}
