// Package web is the browser client: its sources are beside this file, and
// `make web` builds them into dist, which is embedded here. Start reading in
// handler.go.
//
// It imports no other package of ours. The client talks to the API and to the identity
// provider from the browser, at the addresses that Config names.
package web

import (
	"embed"
	"io/fs"
)

// A clone has nothing in dist but a placeholder, so that the program builds
// without Node.
//
//go:embed all:dist
var dist embed.FS

// built is what the build has made.
func built() fs.FS {
	sub, err := fs.Sub(dist, "dist")
	if err != nil {
		panic(err) // only for a path that is none
	}
	return sub
}
