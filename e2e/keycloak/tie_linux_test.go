//go:build keycloak

package keycloak

import "syscall"

// tied lets the kernel end a child when the test process dies, however it does.
func tied() *syscall.SysProcAttr { return &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL} }
