package delta

import "testing"

// The pair is the test vector of ZeroMQ's RFC 32.
func TestZ85(t *testing.T) {
	if got := z85([]byte{0x86, 0x4F, 0xD2, 0x6F, 0xB5, 0x59, 0xF7, 0x5B}); got != "HelloWorld" {
		t.Errorf("z85 = %q", got)
	}
}
