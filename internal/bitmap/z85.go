package bitmap

import (
	"encoding/binary"
	"fmt"
)

// z85 are the digits of ZeroMQ's base-85 (RFC 32/Z85).
const z85 = "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ.-:+=^!/*?&<>()[]{}@%$#"

var z85Digit = func() (table [256]int8) {
	for i := range table {
		table[i] = -1
	}
	for i := range len(z85) {
		table[z85[i]] = int8(i)
	}
	return table
}()

// EncodeZ85 is b as text, filled with zeroes to a multiple of four bytes.
func EncodeZ85(b []byte) string {
	for len(b)%4 != 0 {
		b = append(b[:len(b):len(b)], 0)
	}
	out := make([]byte, len(b)/4*5)
	for i := 0; i < len(b)/4; i++ {
		v := binary.BigEndian.Uint32(b[4*i:])
		for j := 4; j >= 0; j-- {
			out[5*i+j] = z85[v%85]
			v /= 85
		}
	}
	return string(out)
}

// DecodeZ85 reads the first size bytes of what text stands for.
func DecodeZ85(text string, size int) ([]byte, error) {
	if len(text)%5 != 0 {
		return nil, fmt.Errorf("Z85 text of %d characters, which is no multiple of five", len(text))
	}
	if have := len(text) / 5 * 4; size < 0 || size > have || have-size > 3 {
		return nil, fmt.Errorf("Z85 text stands for %d bytes, but %d are declared", have, size)
	}
	out := make([]byte, 0, len(text)/5*4)
	for i := 0; i < len(text); i += 5 {
		var v uint64
		for j := range 5 {
			d := z85Digit[text[i+j]]
			if d < 0 {
				return nil, fmt.Errorf("Z85 text has the unknown character %q", text[i+j])
			}
			v = v*85 + uint64(d)
		}
		if v > 1<<32-1 {
			return nil, fmt.Errorf("Z85 text has the group %q, which is too large", text[i:i+5])
		}
		out = binary.BigEndian.AppendUint32(out, uint32(v))
	}
	return out[:size], nil
}
