package main

import (
	"fmt"
	"math"
	"strconv"
	"strings"
)

// sizes are the units of parseBytes. As in Spark, k, m and g are powers of 1024; so are KB, MB and GB.
var sizes = map[string]float64{
	"": 1, "b": 1,
	"k": 1 << 10, "kb": 1 << 10, "kib": 1 << 10,
	"m": 1 << 20, "mb": 1 << 20, "mib": 1 << 20,
	"g": 1 << 30, "gb": 1 << 30, "gib": 1 << 30,
	"t": 1 << 40, "tb": 1 << 40, "tib": 1 << 40,
}

// parseBytes reads a number of bytes such as 512m or 1.5GiB; 0 for "".
func parseBytes(s string) (int64, error) {
	if s == "" {
		return 0, nil
	}
	number := strings.TrimRight(strings.ToLower(s), "bgikmt ")
	unit, ok := sizes[strings.TrimSpace(strings.ToLower(s)[len(number):])]
	n, err := strconv.ParseFloat(number, 64)
	if !ok || err != nil || n <= 0 || n*unit > math.MaxInt64/2 {
		return 0, fmt.Errorf("%q is not a size such as 512MiB or 2GiB", s)
	}
	return int64(n * unit), nil
}
