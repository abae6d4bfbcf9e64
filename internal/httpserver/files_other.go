//go:build !unix

package httpserver

// maxOpenFiles is more than any server needs: Windows limits handles by memory alone.
func maxOpenFiles() uint64 { return 1 << 20 }
