//go:build !unix

package command

import "os/exec"

// killGroup leaves it at the program itself where there are no process groups.
func killGroup(*exec.Cmd) {}
