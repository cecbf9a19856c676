package duckdb

import (
	"bytes"
	"crypto/md5"
	"crypto/sha1"
	"crypto/sha256"
	"crypto/sha512"
	"encoding/base64"
	"encoding/hex"
	"fmt"
	"hash/crc32"
	"net/url"
	"strconv"
	"strings"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/tarn-lake/tarn/rel"
)

// codeFunctions turn text into bytes and back, and compute digests.
var codeFunctions = map[string]udf{
	"hex":               textUDF(func(_ use, r *row) ([]byte, error) { return []byte(upperHex(hex.EncodeToString(r.bytes(0)))), nil }),
	"unhex":             textUDF(unhex),
	"base64":            textUDF(func(_ use, r *row) ([]byte, error) { return []byte(mimeBase64(r.bytes(0))), nil }),
	"unbase64":          textUDF(unbase64),
	"encode":            textUDF(encode),
	"decode":            textUDF(decode),
	"to_binary":         textUDF(toBinary),
	"md5":               textUDF(func(_ use, r *row) ([]byte, error) { h := md5.Sum(r.bytes(0)); return hexBytes(h[:]), nil }),
	"sha1":              textUDF(func(_ use, r *row) ([]byte, error) { h := sha1.Sum(r.bytes(0)); return hexBytes(h[:]), nil }),
	"sha2":              textUDF(sha2),
	"crc32":             intUDF(func(_ use, r *row) (int64, error) { return int64(crc32.ChecksumIEEE(r.bytes(0))), nil }),
	"url_encode":        textUDF(func(_ use, r *row) ([]byte, error) { return []byte(javaURL(r.text(0))), nil }),
	"url_decode":        textUDF(urlDecode),
	"parse_url":         textUDF(parseURL),
	"validate_utf8":     textUDF(validateUTF8),
	"try_validate_utf8": textUDF(tryValidateUTF8),
	"is_valid_utf8":     boolUDF(func(_ use, r *row) (bool, error) { return utf8.Valid(r.bytes(0)), nil }),
	"make_valid_utf8":   textUDF(func(_ use, r *row) ([]byte, error) { return bytes.ToValidUTF8(r.bytes(0), []byte("\uFFFD")), nil }),
}

func hexBytes(b []byte) []byte { return []byte(hex.EncodeToString(b)) }

func unhex(_ use, r *row) ([]byte, error) {
	s := r.text(0)
	if len(s)%2 == 1 {
		s = "0" + s
	}
	b, err := hex.DecodeString(s)
	if err != nil {
		return nil, errNull
	}
	return b, nil
}

// mimeBase64 has lines of 76 characters, as Spark's base64 does by default.
func mimeBase64(b []byte) string {
	s := base64.StdEncoding.EncodeToString(b)
	var out strings.Builder
	for len(s) > 76 {
		out.WriteString(s[:76] + "\r\n")
		s = s[76:]
	}
	return out.String() + s
}

// validateUTF8 is the text that bytes are, or an error.
func validateUTF8(_ use, r *row) ([]byte, error) {
	b := r.bytes(0)
	if !utf8.Valid(b) {
		return nil, raiseError("INVALID_UTF8_STRING", "str", escapedBytes(b))
	}
	return b, nil
}

// escapedBytes writes the bytes that are no characters as \xNN.
func escapedBytes(b []byte) string {
	var out strings.Builder
	for len(b) > 0 {
		c, n := utf8.DecodeRune(b)
		if c == utf8.RuneError && n == 1 {
			fmt.Fprintf(&out, "\\x%02X", b[0])
		} else {
			out.Write(b[:n])
		}
		b = b[n:]
	}
	return out.String()
}

// tryValidateUTF8 is the text that bytes are, or NULL.
func tryValidateUTF8(_ use, r *row) ([]byte, error) {
	if !utf8.Valid(r.bytes(0)) {
		return nil, errNull
	}
	return r.bytes(0), nil
}

func unbase64(u use, r *row) ([]byte, error) {
	b, ok := decodeBase64(r.text(0))
	if !ok {
		return nil, errNull
	}
	return b, nil
}

// decodeBase64 skips white space and takes missing padding.
func decodeBase64(s string) ([]byte, bool) {
	s = strings.Map(func(c rune) rune {
		if c == '\n' || c == '\r' || c == ' ' || c == '\t' {
			return -1
		}
		return c
	}, s)
	b, err := base64.RawStdEncoding.DecodeString(strings.TrimRight(s, "="))
	return b, err == nil
}

var charsets = map[string]bool{"US-ASCII": true, "ISO-8859-1": true, "UTF-8": true, "UTF-16BE": true, "UTF-16LE": true, "UTF-16": true, "UTF-32": true}

func badCharset(fn, name string) error {
	return raiseError("INVALID_PARAMETER_VALUE.CHARSET", "functionName", "`"+fn+"`", "parameter", "`charset`", "charset", name,
		"charsets", "iso-8859-1, us-ascii, utf-16, utf-16be, utf-16le, utf-32, utf-8")
}

func encode(u use, r *row) ([]byte, error) {
	set := strings.ToUpper(r.text(1))
	if !charsets[set] {
		return nil, badCharset("encode", r.text(1))
	}
	limit := rune(0)
	switch set {
	case "UTF-8":
		return r.bytes(0), nil
	case "US-ASCII":
		limit = 0x7f
	case "ISO-8859-1":
		limit = 0xff
	}
	var out []byte
	if limit > 0 {
		for _, c := range r.text(0) {
			if c > limit {
				return nil, raiseError("MALFORMED_CHARACTER_CODING", "function", "`encode`", "charset", r.text(1))
			}
			out = append(out, byte(c))
		}
		return out, nil
	}
	if set == "UTF-16" {
		out = append(out, 0xfe, 0xff)
	}
	for _, c := range r.text(0) {
		switch set {
		case "UTF-32":
			out = append(out, byte(c>>24), byte(c>>16), byte(c>>8), byte(c))
			continue
		}
		for _, w := range utf16.Encode([]rune{c}) {
			if set == "UTF-16LE" {
				out = append(out, byte(w), byte(w>>8))
			} else {
				out = append(out, byte(w>>8), byte(w))
			}
		}
	}
	if set == "UTF-16" && len(out) == 2 {
		return nil, nil
	}
	return out, nil
}

func decode(u use, r *row) ([]byte, error) {
	set := strings.ToUpper(r.text(1))
	b := r.bytes(0)
	malformed := raiseError("MALFORMED_CHARACTER_CODING", "function", "`decode`", "charset", r.text(1))
	switch set {
	case "UTF-8":
		if !utf8.Valid(b) {
			return nil, malformed
		}
		return b, nil
	case "US-ASCII", "ISO-8859-1":
		var out []byte
		for _, c := range b {
			if set == "US-ASCII" && c > 0x7f {
				return nil, malformed
			}
			out = utf8.AppendRune(out, rune(c))
		}
		return out, nil
	case "UTF-16", "UTF-16BE", "UTF-16LE":
		return decode16(b, set == "UTF-16LE", set == "UTF-16"), nil
	case "UTF-32":
		var out []byte
		for i := 0; i+4 <= len(b); i += 4 {
			out = utf8.AppendRune(out, rune(b[i])<<24|rune(b[i+1])<<16|rune(b[i+2])<<8|rune(b[i+3]))
		}
		return out, nil
	}
	return nil, badCharset("decode", r.text(1))
}

func decode16(b []byte, little, mark bool) []byte {
	if mark && len(b) >= 2 && (b[0] == 0xff && b[1] == 0xfe || b[0] == 0xfe && b[1] == 0xff) {
		little, b = b[0] == 0xff, b[2:]
	}
	var words []uint16
	for i := 0; i+2 <= len(b); i += 2 {
		if little {
			words = append(words, uint16(b[i])|uint16(b[i+1])<<8)
		} else {
			words = append(words, uint16(b[i])<<8|uint16(b[i+1]))
		}
	}
	return []byte(string(utf16.Decode(words)))
}

// toBinary reads text in a format, hexadecimal by default.
func toBinary(u use, r *row) ([]byte, error) {
	format := "hex"
	if len(u.args) > 1 {
		format = strings.ToLower(r.text(1))
	}
	s := r.text(0)
	ok := false
	var out []byte
	switch format {
	case "utf-8", "utf8":
		return r.bytes(0), nil
	case "hex":
		var err error
		if len(s)%2 == 1 {
			s = "0" + s
		}
		out, err = hex.DecodeString(s)
		ok = err == nil
	case "base64":
		if ok = strictBase64(s); ok {
			out, ok = decodeBase64(s)
		}
	default:
		return nil, raiseError("INVALID_PARAMETER_VALUE.BINARY_FORMAT", "functionName", "`to_binary`", "parameter", "`fmt`", "invalidValue", textSQL(format))
	}
	if !ok {
		if u.mode == rel.Try {
			return nil, errNull
		}
		return nil, raiseError("CONVERSION_INVALID_INPUT", "str", textSQL(r.text(0)), "fmt", "'"+strings.ToUpper(format)+"'",
			"targetType", `"BINARY"`, "suggestion", "`try_to_binary`")
	}
	return out, nil
}

// strictBase64 reports whether s is whole groups of four, white space aside, with padding at the end alone.
func strictBase64(s string) bool {
	n, pads := 0, 0
	for _, c := range s {
		switch {
		case c == ' ' || c == '\t' || c == '\r' || c == '\n':
			continue
		case c == '=':
			pads++
		case pads > 0:
			return false
		}
		n++
	}
	return pads <= 2 && (n%4 == 0 || pads == 0 && n%4 != 1)
}

func sha2(_ use, r *row) ([]byte, error) {
	b := r.bytes(0)
	switch r.int(1) {
	case 224:
		h := sha256.Sum224(b)
		return hexBytes(h[:]), nil
	case 0, 256:
		h := sha256.Sum256(b)
		return hexBytes(h[:]), nil
	case 384:
		h := sha512.Sum384(b)
		return hexBytes(h[:]), nil
	case 512:
		h := sha512.Sum512(b)
		return hexBytes(h[:]), nil
	}
	return nil, errNull
}

// javaURL encodes a form value as Java's URLEncoder does.
func javaURL(s string) string {
	e := url.QueryEscape(s)
	return strings.NewReplacer("%2A", "*", "~", "%7E").Replace(e)
}

func urlDecode(u use, r *row) ([]byte, error) {
	s, err := url.QueryUnescape(r.text(0))
	if err != nil {
		return nil, u.fail(raiseError("CANNOT_DECODE_URL", "url", r.text(0)))
	}
	return []byte(s), nil
}

func parseURL(u use, r *row) ([]byte, error) {
	p, err := url.Parse(r.text(0))
	if err != nil {
		return nil, u.fail(raiseError("INVALID_URL", "url", r.text(0)))
	}
	part := r.text(1)
	if len(u.args) > 2 {
		if part != "QUERY" {
			return nil, errNull
		}
		return queryValue(p.RawQuery, r.text(2))
	}
	out := ""
	switch part {
	case "HOST":
		out = p.Hostname()
	case "PATH":
		return []byte(p.EscapedPath()), nil
	case "QUERY":
		out = p.RawQuery
	case "REF":
		out = p.EscapedFragment()
	case "PROTOCOL":
		out = p.Scheme
	case "FILE":
		out = p.EscapedPath()
		if p.RawQuery != "" {
			out += "?" + p.RawQuery
		}
		return []byte(out), nil
	case "AUTHORITY":
		out = p.Host
		if p.User != nil {
			out = p.User.String() + "@" + out
		}
	case "USERINFO":
		if p.User != nil {
			out = p.User.String()
		}
	}
	if out == "" {
		return nil, errNull
	}
	return []byte(out), nil
}

func queryValue(query, key string) ([]byte, error) {
	for _, kv := range strings.Split(query, "&") {
		if k, v, ok := strings.Cut(kv, "="); ok && k == key {
			return []byte(v), nil
		}
	}
	return nil, errNull
}

// intText is n in decimal.
func intText(n int64) string { return strconv.FormatInt(n, 10) }
