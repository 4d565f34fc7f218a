package main

import (
	"io"
	"os"

	"golang.org/x/term"
)

// console is an output that may be a terminal.
type console struct {
	io.Writer
	// terminal is nil for a file, a pipe or a buffer.
	terminal *os.File
	colour   bool
}

// newConsole finds out whether w is a terminal that can be drawn on, and whether env wants colours there.
func newConsole(w io.Writer, env environ) *console {
	c := &console{Writer: w}
	f, ok := w.(*os.File)
	if ok && term.IsTerminal(int(f.Fd())) && env.first("TERM") != "dumb" {
		c.terminal, c.colour = f, env.first("NO_COLOR") == ""
	}
	return c
}

// size is the terminal's width and height in characters; both are 0 where there is none.
func (c *console) size() (width, height int) {
	if c.terminal == nil {
		return 0, 0
	}
	width, height, err := term.GetSize(int(c.terminal.Fd()))
	if err != nil || width == 0 || height == 0 {
		return 80, 24
	}
	return width, height
}
