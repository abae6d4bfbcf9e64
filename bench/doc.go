// Package bench measures the service against what it is built on: a bare
// net/http handler that writes the same bytes, and services written by hand that
// do the same work. All run in the same minute on the same machine, in turns, so
// the figures are ratios; an absolute time says more about the machine than about
// the program. What a loan takes of the machine (processor time, log) is said, too.
//
//	make bench                        the ratios
//	make bench-versions BEFORE=FILE   another build of the program
//	make bench-peers                  other programs that answer the same questions
//	make bench-large                  growth from 10,000 to 1,000,000 books
//
// Without these flags the tests run for a moment each, which keeps them from
// rotting. docs/performance.md has the figures and the method.
package bench
