package testkit

import "syscall"

// Tied lets the kernel end a child when the test process dies, however it does.
func Tied() *syscall.SysProcAttr { return &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL} }
