package timeline

import (
	"os"
	"strconv"
)

// process names a process, so that others on its machine can tell whether it
// still runs: the machine since it was started, the number of the process, and
// when it began, since numbers are used again.
type process [3]string

// self is this process. Its zero value names none, where processes cannot be
// told apart.
func self() (p process) {
	if here := machine(); here != "" {
		p = process{here, strconv.Itoa(os.Getpid()), began(os.Getpid())}
	}
	return p
}

// dead says whether a process is one of this machine that does not run any more.
// Of processes of other machines, and of unknown ones, that cannot be told.
func (p process) dead() bool {
	pid, local := p.local()
	return local && (gone(pid) || p[2] != "" && began(pid) != "" && began(pid) != p[2])
}

// local gives the number of a process of this machine.
func (p process) local() (pid int, ok bool) {
	if here := machine(); here == "" || p[0] != here {
		return 0, false
	}
	pid, err := strconv.Atoi(p[1])
	return pid, err == nil && pid > 0
}

// list are the parts of p, none of the zero value.
func (p process) list() []string {
	if p[0] == "" {
		return []string{}
	}
	return p[:]
}

// processOf is the process of which list gave the parts; the zero value of
// anything else.
func processOf(list []string) (p process) {
	if len(list) == len(p) {
		copy(p[:], list)
	}
	return p
}
