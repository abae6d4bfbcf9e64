// Package language knows the codes of languages: ISO 639-1 (two letters), 639-2 (three
// letters, some languages have two such codes) and 639-3 (three letters).
package language

import (
	_ "embed"
	"strings"
	"sync"
)

// codes has a line for each language with a code of two letters: that code, the one of
// three letters, and the bibliographic one if it is another. A line that begins with a
// single letter has all other codes that begin with it, without that letter.
//
//go:embed codes.txt
var codes string

// table is the codes as they are looked up.
type table struct {
	short map[string]string // for each code the one that is kept
	long  map[string]string // for a code of two letters, the bibliographic one
}

var read = sync.OnceValue(func() table {
	t := table{make(map[string]string, 8500), make(map[string]string, 200)}
	for line := range strings.Lines(codes) {
		words := strings.Fields(line)
		first, rest := words[0], words[1:]
		if len(first) == 2 {
			t.short[first], t.long[first] = first, rest[len(rest)-1]
			for _, code := range rest {
				t.short[code] = first
			}
			continue
		}
		for all := rest[0]; all != ""; all = all[2:] {
			t.short[first+all[:2]] = first + all[:2]
		}
	}
	return t
})

// Code is the code under which a language is kept: that of two letters where there is
// one. It is "" for what is no code of a language in lower case.
func Code(code string) string { return read().short[code] }

// Bibliographic is the code of three letters that catalogues use for a language, "" for what is no code.
func Bibliographic(code string) string {
	kept := Code(code)
	if long := read().long[kept]; long != "" {
		return long
	}
	return kept
}
