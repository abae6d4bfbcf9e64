//go:build keycloak

// Package keycloak tests the program behind a real Keycloak with the realm in
// deploy/keycloak: tokens from every grant, the login page included, and what
// the service makes of them.
//
// It needs a running Keycloak, so it is not part of go test ./...; run
// scripts/test-keycloak, which brings one. Start reading at harness_test.go.
package keycloak
