// Package wire keeps HTTP/1.1 connections for load: opened before a request is due, written in one system call at the
// moment it is due, and read with the time at which the kernel received the bytes.
//
// Every stream has a connection of its own. Nothing is sent twice, no proxy is used, and there is no time limit but the
// deadlines that the caller sets.
package wire
