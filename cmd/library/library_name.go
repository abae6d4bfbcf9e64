package main

import (
	"errors"
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

// nameSetting is what the library calls itself. Every command that shows it has
// the same flag and, unlike their other settings, the same variable: it is one
// library.
func nameSetting(into *string) setting {
	return setting{flag: "name", usage: "what the library calls itself, up to 60 characters", set: libraryName(into)}
}

// libraryName is a short line of text; "" is no name.
func libraryName(into *string) func(string) error {
	const longest = 60
	// Characters that turn the line around, or are not seen. Some scripts need the two joiners.
	hidden := func(r rune) bool { return !unicode.IsPrint(r) && r != '\u200c' && r != '\u200d' }
	return func(v string) error {
		name := strings.TrimSpace(v)
		switch {
		case name == "" && v != "":
			return errors.New("is blank; leave it out if the library has no name of its own")
		case !utf8.ValidString(name) || strings.ContainsFunc(name, hidden):
			return errors.New("must be one line of text")
		case utf8.RuneCountInString(name) > longest:
			return fmt.Errorf("is longer than %d characters", longest)
		}
		*into = name
		return nil
	}
}
