package pgtest

import "syscall"

// tie asks the kernel to send sig to the new process when we die: the second
// line of defence, should the watchdog be killed as well.
func tie(attr *syscall.SysProcAttr, sig syscall.Signal) { attr.Pdeathsig = sig }
