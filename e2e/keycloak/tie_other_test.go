//go:build keycloak && !linux

package keycloak

import "syscall"

// tied would let a child end with the test process; only Linux can do that.
func tied() *syscall.SysProcAttr { return nil }
