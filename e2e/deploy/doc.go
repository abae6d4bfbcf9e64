// Package deploy tests the files in deploy/ with the programs that read them: three
// copies of the library behind HAProxy, nginx and Caddy, the units under systemd's
// own tools, alert rules under promtool. Nothing but addresses, paths and time-outs
// is changed in a file before it is used.
//
// Start reading at harness_test.go.
package deploy
