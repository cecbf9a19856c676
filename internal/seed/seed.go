// Package seed gives random tests the same numbers in every run. The flag -seed of their packages chooses others.
package seed

import (
	"flag"
	"math/rand/v2"
	"testing"
	"time"
)

var given = flag.Uint64("seed", 1, "seed of random tests; 0 takes the time")

// Of is the seed of a test, which its log tells.
func Of(t testing.TB) uint64 {
	t.Helper()
	s := *given
	if s == 0 {
		s = uint64(time.Now().UnixNano())
	}
	t.Logf("seed %d", s)
	return s
}

// Rand gives the numbers of a test's seed.
func Rand(t testing.TB) *rand.Rand {
	t.Helper()
	return rand.New(rand.NewPCG(Of(t), 0))
}
