package testidp

import (
	"sync"

	"example.org/library/devidp"
)

// DevKeys are the keys of every development identity provider in the tests of a
// package. Keys are slow to make.
var DevKeys = sync.OnceValue(func() *devidp.Keys {
	keys, err := devidp.OpenKeys("")
	if err != nil {
		panic(err)
	}
	return keys
})
