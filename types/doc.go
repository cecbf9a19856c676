package types
