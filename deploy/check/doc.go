// Package check reads the Kubernetes manifests and the compose file in deploy/ with the
// types and the schema of those who defined them. It is a module of its own, so that the
// program does not depend on any of that.
package check
