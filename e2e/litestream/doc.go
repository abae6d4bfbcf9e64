// Package litestream only names the version of Litestream that is run beside the
// service: `go build github.com/benbjohnson/litestream/cmd/litestream` here makes it. It is a
// module of its own because the program needs none of its packages. The test is in
// e2e/deploy.
package litestream
