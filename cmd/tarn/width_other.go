//go:build !unix

package main

import (
	"os"
	"strconv"
)

// columns is the width that the shell tells; 0 when it is not known.
func columns(*os.File) int {
	n, err := strconv.Atoi(os.Getenv("COLUMNS"))
	if err != nil {
		return 0
	}
	return n
}
