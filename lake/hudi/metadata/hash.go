package metadata

import (
	"crypto/md5"
	"encoding/base64"
	"encoding/binary"
	"math/bits"
	"strings"
)

// hashSeed is the seed of all hashes in keys (HashID of apache/hudi).
const hashSeed = 0xFFFFFFFFDABADABA

const (
	prime1 = 0x9E3779B185EBCA87
	prime2 = 0xC2B2AE3D27D4EB4F
	prime3 = 0x165667B19E3779F9
	prime4 = 0x85EBCA77C2B2AE63
	prime5 = 0x27D4EB2F165667C5
)

// xxHash64 is XXH64 (github.com/Cyan4973/xxHash, doc/xxhash_spec.md).
func xxHash64(b string, seed uint64) uint64 {
	h := seed + prime5
	n := uint64(len(b))
	if n >= 32 {
		v := [4]uint64{seed, seed, seed, seed}
		v[0] += prime1
		v[0] += prime2
		v[1] += prime2
		v[3] -= prime1
		for ; len(b) >= 32; b = b[32:] {
			for i := range v {
				v[i] = round(v[i], word64(b[8*i:]))
			}
		}
		h = bits.RotateLeft64(v[0], 1) + bits.RotateLeft64(v[1], 7) + bits.RotateLeft64(v[2], 12) + bits.RotateLeft64(v[3], 18)
		for _, x := range v {
			h = (h^round(0, x))*prime1 + prime4
		}
	}
	h += n
	for ; len(b) >= 8; b = b[8:] {
		h = bits.RotateLeft64(h^round(0, word64(b)), 27)*prime1 + prime4
	}
	if len(b) >= 4 {
		h = bits.RotateLeft64(h^uint64(binary.LittleEndian.Uint32([]byte(b[:4])))*prime1, 23)*prime2 + prime3
		b = b[4:]
	}
	for i := range len(b) {
		h = bits.RotateLeft64(h^uint64(b[i])*prime5, 11) * prime1
	}
	h = (h ^ h>>33) * prime2
	h = (h ^ h>>29) * prime3
	return h ^ h>>32
}

func round(acc, x uint64) uint64 { return bits.RotateLeft64(acc+x*prime2, 31) * prime1 }

func word64(b string) uint64 { return binary.LittleEndian.Uint64([]byte(b[:8])) }

// nameHash is the part of a key that stands for a column or partition.
func nameHash(name string) string {
	return base64.StdEncoding.EncodeToString(binary.BigEndian.AppendUint64(nil, xxHash64(name, hashSeed)))
}

// fileHash is the part of a key that stands for a file.
func fileHash(name string) string {
	h := md5.Sum([]byte(name))
	return base64.StdEncoding.EncodeToString(h[:])
}

// shard is the number of the file group, of n, that holds a key: by Java's hash of its UTF-16 units, as Hudi takes it.
func shard(key string, n int) int {
	if n <= 1 {
		return 0
	}
	var h int32
	for _, c := range key {
		if c >= 0x10000 {
			c -= 0x10000
			h = 31*h + 0xD800 + c>>10
			c = 0xDC00 + c&0x3FF
		}
		h = 31*h + c
	}
	// Java's abs of the least number is negative; the remainder is made positive after it.
	if h < 0 {
		h = -h
	}
	s := int(h) % n
	if s < 0 {
		s = -s
	}
	return s
}

// secondaryKey is the key of an entry of a secondary index; value is nil for NULL.
func secondaryKey(value *string, record string) string {
	v := "\x00"
	if value != nil {
		v = escapeKey(*value)
	}
	return v + "$" + escapeKey(record)
}

var keyEscapes = strings.NewReplacer(`\`, `\\`, `$`, `\$`, "\x00", "\\\x00")

func escapeKey(s string) string { return keyEscapes.Replace(s) }

// splitSecondaryKey takes a key of a secondary index apart; value is nil for NULL.
func splitSecondaryKey(key string) (value *string, record string, ok bool) {
	for i := 0; i < len(key); i++ {
		switch key[i] {
		case '\\':
			i++
		case '$':
			record, ok = unescapeKey(key[i+1:])
			if key[:i] == "\x00" {
				return nil, record, ok
			}
			v, good := unescapeKey(key[:i])
			return &v, record, ok && good
		}
	}
	return nil, "", false
}

func unescapeKey(s string) (string, bool) {
	if !strings.Contains(s, `\`) {
		return s, true
	}
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		if s[i] == '\\' {
			if i++; i == len(s) {
				return "", false
			}
		}
		b.WriteByte(s[i])
	}
	return b.String(), true
}
