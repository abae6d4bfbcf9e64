package main

import "syscall"

// rotateSignal does not exist on Windows; this number is never sent there.
const rotateSignal = syscall.Signal(0x1e)
