package bookfile

import (
	"path"
	"regexp"
	"slices"
	"strings"

	"example.org/library/internal/marc"
)

// relators holds the words and codes for authors, editors, illustrators and translators, without a full stop.
var relators = func() map[string]bool {
	all := map[string]bool{}
	for _, word := range strings.Fields(`
		aut cre edt edc ill trl
		author writer creator editor illustrator translator
		auth ed eds edit illus tr trans transl
		verfasser verfasserin autor autorin herausgeber herausgeberin illustratorin übersetzer übersetzerin verf hrsg hg übers
		auteur autrice éditeur éditrice illustrateur illustratrice traducteur traductrice éd trad
		autora editora ilustrador ilustradora traductor traductora`) {
		all[word] = true
	}
	for _, words := range []string{"editor of compilation", "author of text", "auteur du texte", "autor do texto", "autor del texto"} {
		all[words] = true
	}
	return all
}()

// authors returns the makers of the book: people first, then institutions.
func (m marcReader) authors() (authors []string) {
	for _, tag := range []string{"100", "700", "110", "710"} {
		for _, f := range m.All(tag) {
			if !f.Has('a') || tag == "700" && f.Has('t') || !isAuthor(f) {
				continue
			}
			name := withoutComma(m.value(f, 'a'))
			if strings.HasSuffix(tag, "00") && f.Ind1 != '0' {
				name = inOrder(name)
			}
			if name != "" {
				authors = append(authors, name)
			}
		}
	}
	return authors
}

// isAuthor reports whether a field names a maker of the book. A name without a role counts as one.
func isAuthor(f marc.Field) bool {
	given := false
	for _, s := range f.Subfields {
		word := strings.ToLower(strings.Trim(s.Value, roleMarks))
		if s.Code != '4' && s.Code != 'e' || word == "" {
			continue
		}
		given = true
		if s.Code == '4' && relators[path.Base(word)] { // a code, or its address
			return true
		}
		if s.Code == 'e' && slices.ContainsFunc(severalRoles.Split(word, -1), isRelator) {
			return true
		}
	}
	return !given
}

// roleMarks are the characters to cut around the word for a role.
const roleMarks = " .,;:[]()"

// severalRoles matches the text between two roles of one person.
var severalRoles = regexp.MustCompile(`[,;/&]|\s(?:and|und|u\.|et|y)\s`)

// sharedRole matches the beginning of a role held by several people, or by the leader of
// several. besideRole matches an addition in parentheses.
var (
	sharedRole = regexp.MustCompile(`^(?:joint |general |co-?|mit)`)
	besideRole = regexp.MustCompile(`\s\([^)]*\)?$`)
)

func isRelator(word string) bool {
	word = strings.Trim(besideRole.ReplaceAllString(strings.TrimSpace(word), ""), roleMarks)
	return relators[word] || relators[sharedRole.ReplaceAllString(word, "")]
}

// inOrder makes "Franz Kafka" of "Kafka, Franz". It keeps a name with another comma, because
// the order of its parts is unknown.
func inOrder(name string) string {
	if strings.Count(name, ",") != 1 {
		return name
	}
	last, first, _ := strings.Cut(name, ",")
	return strings.TrimSpace(strings.TrimSpace(first) + " " + strings.TrimSpace(last))
}
