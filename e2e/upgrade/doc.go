// Package upgrade holds the promise of a rolling upgrade: the program of the last version
// lends, returns and edits beside the new one, on both sides of every migration, on both
// databases. The program of the last version is built from the commit that the file
// last-version names.
//
// Start reading at upgrade_test.go.
package upgrade
