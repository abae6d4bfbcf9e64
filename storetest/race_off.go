//go:build !race

package storetest

var rules = allRules
