package timeline

import (
	"errors"
	"os"
	"strings"
	"syscall"
)

// machine names the machine since it was started, and the processes in it that
// can see each other, so that the number of a process means one thing. It is ""
// if that cannot be told.
func machine() string {
	boot, err := os.ReadFile("/proc/sys/kernel/random/boot_id")
	if err != nil {
		return ""
	}
	space, err := os.Readlink("/proc/self/ns/pid")
	if err != nil {
		return ""
	}
	return strings.TrimSpace(string(boot)) + "/" + space
}

// gone says whether a process of this machine does not run any more.
func gone(pid int) bool {
	return pid > 0 && errors.Is(syscall.Kill(pid, 0), syscall.ESRCH)
}
