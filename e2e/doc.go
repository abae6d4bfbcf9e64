// Package e2e tests the program as its users meet it: it builds the binary,
// starts it as a process of its own and talks HTTP to it, on SQLite and on
// PostgreSQL. Nothing here looks inside the program.
//
// Start reading at harness_test.go; spec_test.go says which test holds which
// row of the specification.
package e2e
