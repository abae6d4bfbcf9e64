//go:build !unix

package backup

import "io/fs"

// giveLike leaves a file with the rights of its folder.
func giveLike(string, fs.FileInfo, string) error { return nil }
