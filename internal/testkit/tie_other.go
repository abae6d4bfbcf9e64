//go:build !linux

package testkit

import "syscall"

// Tied would let a child end with the test process; only Linux can do that.
func Tied() *syscall.SysProcAttr { return nil }
