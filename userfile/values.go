package userfile

import (
	"fmt"
	"strings"

	"example.org/library/internal/table"
)

// roleWords are what people call the roles, as table.Plain makes them.
var roleWords = map[string]string{
	"libraryuser": "LIBRARY_USER", "user": "LIBRARY_USER", "reader": "LIBRARY_USER", "leser": "LIBRARY_USER",
	"librarycurator": "LIBRARY_CURATOR", "curator": "LIBRARY_CURATOR", "kurator": "LIBRARY_CURATOR",
	"libraryadmin": "LIBRARY_ADMIN", "admin": "LIBRARY_ADMIN",
}

// rolesOf are the roles in a cell. A word that is none stays as it is, for the library
// to refuse.
func rolesOf(cell string) (roles []string) {
	for _, word := range strings.FieldsFunc(cell, func(r rune) bool { return strings.ContainsRune(",;| \t\n", r) }) {
		if role := roleWords[table.Plain(word)]; role != "" {
			word = role
		}
		roles = append(roles, word)
	}
	return roles
}

// localeOf is the language of a cell: "de", "de-AT" and "Deutsch" are the same. One that
// is unknown stays as it is, for the library to refuse.
func localeOf(cell string) string {
	word := strings.ToLower(cell)
	switch first, _, _ := strings.Cut(strings.ReplaceAll(word, "_", "-"), "-"); first {
	case "de", "deu", "ger", "deutsch", "german":
		return "de"
	case "en", "eng", "englisch", "english":
		return "en"
	}
	return cell
}

// flagWords say yes or no, as table.Plain makes them. "tobedeleted" is what OneRoster
// calls a person who has left.
var flagWords = map[string]bool{
	"true": true, "yes": true, "y": true, "1": true, "ja": true, "j": true, "wahr": true, "x": true, "active": true, "aktiv": true, "enabled": true,
	"false": false, "no": false, "n": false, "0": false, "nein": false, "falsch": false, "inactive": false, "inaktiv": false, "disabled": false, "tobedeleted": false,
}

// readFlag takes over yes or no. Of several columns one that says no is enough.
func readFlag(into **bool, heading, cell string) reason {
	yes, known := flagWords[table.Plain(cell)]
	if !known {
		return reason{Code: "not_yes_or_no", Text: fmt.Sprintf("has %q for %s, which is neither yes nor no", table.Shortened(cell), heading)}
	}
	if *into != nil {
		yes = yes && **into
	}
	*into = &yes
	return reason{}
}
