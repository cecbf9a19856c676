package duckdb

import (
	"encoding/binary"
	"math"
	"math/big"
	"math/bits"

	"github.com/apache/arrow-go/v18/arrow/decimal128"

	"github.com/tarn-lake/tarn/types"
)

// hashFunctions are Spark's hashes, which shuffles and bucketing rest on.
var hashFunctions = map[string]udf{
	"murmur3":  hashUDF(func(h uint64, t types.Type, v types.Value) uint64 { return uint64(murmurValue(uint32(h), t, v)) }),
	"xxhash64": hashUDF(xxValue),
}

// hashUDF folds the arguments into a hash that starts with 42; NULL leaves it as it is.
func hashUDF(fold func(h uint64, t types.Type, v types.Value) uint64) udf {
	return udf{nulls: true, make: func(u use) (Eval, error) {
		width := intWidth(u.result)
		return func(n int, in []Vec, out *Out) error {
			set := intSetter(out, width)
			return each(u, in, n, out, true, func(r *row) error {
				h := uint64(42)
				for k := range r.cols {
					h = fold(h, u.args[k], r.value(k))
				}
				set(r.i, int64(h))
				return nil
			})
		}, nil
	}}
}

// hashed is v as the bytes or number that both hashes read: nil bytes mean the number, of 4 or 8 bytes.
func hashed(t types.Type, v types.Value) (b []byte, n int64, wide bool) {
	switch v := v.(type) {
	case bool:
		if v {
			n = 1
		}
		return nil, n, false
	case int64:
		_, time := t.(types.Time)
		_, dt := t.(types.DayTime)
		return nil, v, time || dt || t == types.Long || t == types.Timestamp || t == types.TimestampNTZ
	case int32:
		return nil, int64(v), false
	case float32:
		if v == 0 {
			v = 0
		}
		return nil, int64(int32(math.Float32bits(v + 0))), false
	case float64:
		return nil, int64(math.Float64bits(v + 0)), true
	case string:
		return []byte(v), 0, false
	case []byte:
		return v, 0, false
	case decimal128.Num:
		if t.(types.Decimal).P <= 18 {
			return nil, int64(v.LowBits()), true
		}
		return javaBytes(v.BigInt()), 0, false
	}
	return []byte{}, 0, false
}

// javaBytes is BigInteger.toByteArray: two's complement, big-endian, as short as it can be.
func javaBytes(x *big.Int) []byte {
	if x.Sign() >= 0 {
		b := x.Bytes()
		if len(b) == 0 || b[0]&0x80 != 0 {
			b = append([]byte{0}, b...)
		}
		return b
	}
	n := len(new(big.Int).Not(x).Bytes())
	if n == 0 {
		n = 1
	}
	m := new(big.Int).Add(x, new(big.Int).Lsh(big.NewInt(1), uint(8*n)))
	if m.Bit(8*n-1) == 0 {
		n++
		m = new(big.Int).Add(x, new(big.Int).Lsh(big.NewInt(1), uint(8*n)))
	}
	return m.FillBytes(make([]byte, n))
}

// nested folds the parts of a nested value.
func nested[H uint32 | uint64](h H, t types.Type, v types.Value, fold func(H, types.Type, types.Value) H) (H, bool) {
	switch t := t.(type) {
	case types.Array:
		for _, x := range v.([]types.Value) {
			h = fold(h, t.Elem, x)
		}
	case types.Struct:
		for i, x := range v.([]types.Value) {
			h = fold(h, t.Fields[i].Type, x)
		}
	case types.Map:
		for _, p := range v.([]types.Pair) {
			h = fold(fold(h, t.Key, p.Key), t.Value, p.Value)
		}
	default:
		if iv, ok := v.(types.Interval); ok {
			h = fold(h, types.Long, iv.Micros)
			return fold(fold(h, types.Int, int64(iv.Days)), types.Int, int64(iv.Months)), true
		}
		return h, false
	}
	return h, true
}

func murmurValue(h uint32, t types.Type, v types.Value) uint32 {
	if v == nil {
		return h
	}
	if out, ok := nested(h, t, v, murmurValue); ok {
		return out
	}
	b, n, wide := hashed(t, v)
	switch {
	case b != nil:
		return murmurBytes(h, b)
	case wide:
		h = murmurMix(h, uint32(n))
		h = murmurMix(h, uint32(uint64(n)>>32))
		return murmurEnd(h, 8)
	}
	return murmurEnd(murmurMix(h, uint32(n)), 4)
}

func murmurMix(h, k uint32) uint32 {
	k *= 0xcc9e2d51
	k = bits.RotateLeft32(k, 15) * 0x1b873593
	return bits.RotateLeft32(h^k, 13)*5 + 0xe6546b64
}

func murmurEnd(h, n uint32) uint32 {
	h ^= n
	h ^= h >> 16
	h *= 0x85ebca6b
	h ^= h >> 13
	h *= 0xc2b2ae35
	return h ^ h>>16
}

// murmurBytes mixes each of the last bytes as a word of its own: Spark's variant.
func murmurBytes(h uint32, b []byte) uint32 {
	n := len(b)
	for ; len(b) >= 4; b = b[4:] {
		h = murmurMix(h, binary.LittleEndian.Uint32(b))
	}
	for _, c := range b {
		h = murmurMix(h, uint32(int32(int8(c))))
	}
	return murmurEnd(h, uint32(n))
}

const (
	prime1 uint64 = 0x9E3779B185EBCA87
	prime2 uint64 = 0xC2B2AE3D27D4EB4F
	prime3 uint64 = 0x165667B19E3779F9
	prime4 uint64 = 0x85EBCA77C2B2AE63
	prime5 uint64 = 0x27D4EB2F165667C5
)

func xxValue(h uint64, t types.Type, v types.Value) uint64 {
	if v == nil {
		return h
	}
	if out, ok := nested(h, t, v, xxValue); ok {
		return out
	}
	b, n, wide := hashed(t, v)
	switch {
	case b != nil:
		return xxBytes(h, b)
	case wide:
		h += prime5 + 8
		h ^= bits.RotateLeft64(uint64(n)*prime2, 31) * prime1
		return xxEnd(bits.RotateLeft64(h, 27)*prime1 + prime4)
	}
	h += prime5 + 4
	h ^= uint64(uint32(n)) * prime1
	return xxEnd(bits.RotateLeft64(h, 23)*prime2 + prime3)
}

func xxEnd(h uint64) uint64 {
	h ^= h >> 33
	h *= prime2
	h ^= h >> 29
	h *= prime3
	return h ^ h>>32
}

func xxRound(acc, x uint64) uint64 { return bits.RotateLeft64(acc+x*prime2, 31) * prime1 }

func xxBytes(seed uint64, b []byte) uint64 {
	n := uint64(len(b))
	h := seed + prime5
	if len(b) >= 32 {
		v := [4]uint64{seed + prime1 + prime2, seed + prime2, seed, seed - prime1}
		for ; len(b) >= 32; b = b[32:] {
			for i := range v {
				v[i] = xxRound(v[i], binary.LittleEndian.Uint64(b[8*i:]))
			}
		}
		h = bits.RotateLeft64(v[0], 1) + bits.RotateLeft64(v[1], 7) + bits.RotateLeft64(v[2], 12) + bits.RotateLeft64(v[3], 18)
		for _, x := range v {
			h = (h^xxRound(0, x))*prime1 + prime4
		}
	}
	h += n
	for ; len(b) >= 8; b = b[8:] {
		h = bits.RotateLeft64(h^xxRound(0, binary.LittleEndian.Uint64(b)), 27)*prime1 + prime4
	}
	if len(b) >= 4 {
		h = bits.RotateLeft64(h^uint64(binary.LittleEndian.Uint32(b))*prime1, 23)*prime2 + prime3
		b = b[4:]
	}
	for _, c := range b {
		h = bits.RotateLeft64(h^uint64(c)*prime5, 11) * prime1
	}
	return xxEnd(h)
}
