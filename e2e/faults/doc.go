// Package faults breaks the service on purpose while readers use it: databases
// that are restarted, frozen, locked or full, networks that are cut, processes
// that are killed or stopped.
//
// Every test has the same frame. A library (library_test.go) is a database, some
// processes of the program and readers; a crowd (crowd_test.go) borrows, returns
// and looks at a few books while the test does its damage, and records the answers;
// verify (verify_test.go) then checks that some order of the requests explains every
// answer (linearizability), that nothing that was answered with success is missing in
// the database, and that no answer was a 500. What is particular to a fault, such as
// how long an answer may take, is in its own test.
//
// Tests that measure, or that count those who notice, are not parallel.
//
// `make test-faults` runs it, in less than ten minutes. FAULTS_ROUNDS=30 repeats
// rolling restarts and kills more often than that.
package faults
