//go:build unix && !linux

package local

import (
	"os"
	"syscall"
)

// childAttributes put a child into a group of its own, so that an interrupt typed at a terminal reaches only this process,
// which ends its children in order. Only Linux can end them with a parent that dies.
func childAttributes() *syscall.SysProcAttr { return &syscall.SysProcAttr{Setpgid: true} }

func terminate(p *os.Process) error { return p.Signal(syscall.SIGTERM) }
