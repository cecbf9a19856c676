package timeline

import (
	"errors"
	"os"
	"strconv"
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

// began tells when a process of this machine was started, in ticks since the
// machine was; "" if that cannot be told.
func began(pid int) string {
	stat, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat")
	if err != nil {
		return ""
	}
	_, rest, _ := strings.Cut(string(stat[max(strings.LastIndexByte(string(stat), ')'), 0):]), " ") // the name in front may have any character
	const startTime = 22 - 3                                                                        // of proc(5), counted from the state
	if fields := strings.Fields(rest); len(fields) > startTime {
		return fields[startTime]
	}
	return ""
}
