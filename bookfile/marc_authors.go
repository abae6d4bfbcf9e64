package bookfile

import (
	"path"
	"strings"

	"example.org/library/internal/marc"
)

// relators are the words and codes for those who wrote, edited, illustrated or translated
// a book, without a full stop.
var relators = func() map[string]bool {
	all := map[string]bool{}
	for _, word := range strings.Fields(`
		aut cre edt edc ill trl
		author co-author coauthor writer creator editor illustrator translator
		auth ed eds edit illus tr trans transl
		verfasser verfasserin autor autorin herausgeber herausgeberin illustratorin übersetzer übersetzerin verf hrsg hg übers
		auteur autrice éditeur éditrice illustrateur illustratrice traducteur traductrice
		autora editora ilustrador ilustradora traductor traductora`) {
		all[word] = true
	}
	return all
}()

// authors are those who made the book: people first, then institutions.
func (m marcReader) authors() (authors []string) {
	for _, tag := range []string{"100", "700", "110", "710"} {
		for _, f := range m.All(tag) {
			if !f.Has('a') || tag[0] == '7' && f.Has('t') || !isAuthor(f) {
				continue
			}
			name := m.heading(f)
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

// isAuthor reports whether somebody is named for having made the book. Who is named
// without a reason is.
func isAuthor(f marc.Field) bool {
	given := false
	for _, s := range f.Subfields {
		if s.Code != '4' && s.Code != 'e' {
			continue
		}
		given = true
		word := strings.ToLower(strings.Trim(s.Value, " .,;:[]()"))
		if s.Code == '4' {
			word = path.Base(word) // a code, or its address
		}
		if relators[strings.TrimPrefix(word, "joint ")] {
			return true
		}
	}
	return !given
}

// inOrder makes "Franz Kafka" of "Kafka, Franz". With another comma it is not known which
// part is which.
func inOrder(name string) string {
	if strings.Count(name, ",") != 1 {
		return name
	}
	last, first, _ := strings.Cut(name, ",")
	return strings.TrimSpace(strings.TrimSpace(first) + " " + strings.TrimSpace(last))
}
