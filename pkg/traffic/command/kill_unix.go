//go:build unix

package command

import (
	"os/exec"
	"syscall"
)

// killGroup lets the end of a call reach what the program started, too.
func killGroup(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
}
