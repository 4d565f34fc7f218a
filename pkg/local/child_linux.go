package local

import (
	"os"
	"syscall"
)

// childAttributes put a child into a group of its own, so that an interrupt typed at a terminal reaches only this process,
// which ends its children in order; should this process die, the kernel kills them.
func childAttributes() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}
}

func terminate(p *os.Process) error { return p.Signal(syscall.SIGTERM) }
