//go:build unix && !linux

package pgtest

import "syscall"

// tie does nothing here: the watchdog is the only line of defence.
func tie(*syscall.SysProcAttr, syscall.Signal) {}
