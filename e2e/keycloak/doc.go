// Package keycloak tests the program behind a real Keycloak with the realm in
// deploy/keycloak: tokens from every grant, the login page included, and what
// the service makes of them. Tokens as other providers make them come from
// mock-oauth2-server.
//
// It needs both, so it is not part of go test ./...; run
// scripts/test-keycloak, which brings them. Start reading at harness_test.go.
package keycloak
