// Package linearizability records what concurrent readers are answered, and checks with
// porcupine that some order of the steps explains every answer. Start reading at
// [LendingModel], which other tests use for histories of their own; queue_model.go is
// the same for books with two copies and a queue, copies_model.go for books whose copies are
// borrowed and returned by barcode, swapped and moved, and limits.go for readers at their limits.
package linearizability

import "example.org/library/storetest/fixture"

// Rules are about histories of concurrent callers.
var Rules = []fixture.Rule{
	{"lending and waiting are linearizable", queueIsLinearizable},
	{"copies in hands, swaps and moves are linearizable", copiesAreLinearizable},
	{"the limits of all loans and of films are linearizable", limitsAreLinearizable},
}
