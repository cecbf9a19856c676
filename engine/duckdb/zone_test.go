package duckdb

import (
	"testing"
	"unsafe"
)

// TestZoneNamesAreCopied finds zones by names in memory that is used again, as the engine uses its vectors again.
func TestZoneNamesAreCopied(t *testing.T) {
	zoneNames.Clear()
	memory := []byte("MIT")
	name := unsafe.String(&memory[0], len(memory))
	if _, err := loadZone(name); err != nil {
		t.Fatal(err)
	}
	copy(memory, "UTC")
	zoneNames.Range(func(key, zone any) bool {
		if key != "MIT" {
			t.Errorf("%v is now known as %v", zone, key)
		}
		return true
	})
}
