//go:build unix

package main

import "syscall"

// rotateSignal makes the development provider sign with a new key.
const rotateSignal = syscall.SIGUSR1
