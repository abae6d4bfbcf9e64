package userfile

import (
	"fmt"
	"strings"

	"example.org/library/internal/table"
)

// roleWords maps the usual words for roles, as table.Plain makes them.
var roleWords = map[string]string{
	"libraryuser": "LIBRARY_USER", "user": "LIBRARY_USER", "reader": "LIBRARY_USER", "leser": "LIBRARY_USER",
	"librarycurator": "LIBRARY_CURATOR", "curator": "LIBRARY_CURATOR", "kurator": "LIBRARY_CURATOR",
	"libraryadmin": "LIBRARY_ADMIN", "admin": "LIBRARY_ADMIN",
}

// rolesOf returns the roles in a cell. An unknown word stays as it is, for the library to refuse.
func rolesOf(cell string) (roles []string) {
	for _, word := range strings.FieldsFunc(cell, func(r rune) bool { return strings.ContainsRune(",;| \t\n", r) }) {
		if role := roleWords[table.Plain(word)]; role != "" {
			word = role
		}
		roles = append(roles, word)
	}
	return roles
}

// emailOf returns the address of a cell: programs write it as a link, or in quotation marks.
func emailOf(cell string) string {
	cell = strings.Trim(cell, "\"'<>“”„‟‘’‚‛«»‹› \u00a0")
	if prefix := "mailto:"; len(cell) > len(prefix) && strings.EqualFold(cell[:len(prefix)], prefix) {
		cell = strings.TrimSpace(cell[len(prefix):])
	}
	return cell
}

// fullName takes a name apart: "Byron, Ada", or "Ada Byron" with the last name last.
func fullName(name string) (first, last string) {
	if last, first, found := strings.Cut(name, ","); found {
		return strings.TrimSpace(first), strings.TrimSpace(last)
	}
	at := strings.LastIndexAny(name, " \t\u00a0")
	return strings.TrimSpace(name[:max(at, 0)]), strings.TrimSpace(name[at+1:])
}

// localeOf returns the language of a cell: "de", "de-AT" and "Deutsch" are the same. It
// returns "" for a language the library does not speak: such a column is the mother tongue.
func localeOf(cell string) string {
	word := strings.ToLower(cell)
	switch first, _, _ := strings.Cut(strings.ReplaceAll(word, "_", "-"), "-"); first {
	case "de", "deu", "ger", "deutsch", "german":
		return "de"
	case "en", "eng", "englisch", "english":
		return "en"
	}
	return ""
}

// flagWords maps words for yes and no, as table.Plain makes them. "tobedeleted" is
// OneRoster's word for a person who has left.
var flagWords = map[string]bool{
	"true": true, "yes": true, "y": true, "1": true, "ja": true, "j": true, "wahr": true, "x": true, "active": true, "aktiv": true, "enabled": true,
	"false": false, "no": false, "n": false, "0": false, "nein": false, "falsch": false, "inactive": false, "inaktiv": false, "disabled": false, "tobedeleted": false,
}

// readFlag sets a flag to the yes or no of a cell. Of several columns a single no is enough.
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
