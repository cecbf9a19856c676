package duckdb

import (
	"math/big"

	"github.com/apache/arrow-go/v18/arrow/decimal128"
)

// fromWords is the 128-bit two's complement number of two words, the low one first.
func fromWords(lo, hi uint64) *big.Int {
	return decimal128.New(int64(hi), lo).BigInt()
}

// toWords is the inverse of fromWords.
func toWords(x *big.Int) (lo, hi uint64) {
	n := decimal128.FromBigInt(x)
	return n.LowBits(), uint64(n.HighBits())
}

func decimalValue(x *big.Int) decimal128.Num { return decimal128.FromBigInt(x) }
