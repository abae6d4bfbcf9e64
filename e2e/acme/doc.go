// Package acme runs the program against Pebble, the test server of Let's Encrypt.
// It is a module of its own, so that the program does not depend on it.
package acme
