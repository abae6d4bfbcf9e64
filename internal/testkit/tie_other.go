//go:build !linux

package testkit

import "syscall"

// Tied does nothing: only Linux can end a child together with the test process.
func Tied() *syscall.SysProcAttr { return nil }
