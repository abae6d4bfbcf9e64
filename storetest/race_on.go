//go:build race

package storetest

// rules leaves out rules with one caller: the race detector finds nothing in them.
var rules = concurrentRules
