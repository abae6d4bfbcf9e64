package lookup

import (
	"errors"
	"fmt"
	"net/url"
	"strings"

	"example.org/library/internal/loopback"
)

func address(text string) *url.URL {
	u, err := url.Parse(text)
	if err != nil {
		panic(err)
	}
	return u
}

// Known are the catalogues with a name. The Library of Congress answers over plain HTTP only;
// questions and answers are public.
var Known = []Source{
	{"loc", sru{address("http://lx2.loc.gov:210/LCDB"), "bath.isbn", "marcxml"}},
	{"dnb", sru{address("https://services.dnb.de/sru/dnb"), "num", "MARC21-xml"}},
	{"openlibrary", openLibrary{address("https://openlibrary.org")}},
}

// IsPlain reports whether a source is asked over plain HTTP, so others can read and change its answers.
func (s Source) IsPlain() bool {
	sru, is := s.protocol.(sru)
	return is && sru.address.Scheme == "http" && !loopback.Is(sru.address.Hostname())
}

const (
	sruPrefix         = "sru+"
	openLibraryPrefix = "openlibrary+"
	defaultIndex      = "bath.isbn"
	maxSources        = 10
)

// ParseSources parses a setting: names and addresses in their order of display, separated by commas.
// The error names the faulty one.
func ParseSources(setting string) (sources []Source, err error) {
	seen := map[string]bool{}
	for text := range strings.SplitSeq(setting, ",") {
		if text = strings.TrimSpace(text); text == "" {
			continue
		}
		s, err := parseSource(text)
		if err != nil {
			return nil, err
		}
		if seen[text] {
			return nil, fmt.Errorf("%q is there twice", text)
		}
		seen[text] = true
		sources = append(sources, s)
	}
	if len(sources) > maxSources {
		return nil, fmt.Errorf("has more than %d sources", maxSources)
	}
	return sources, nil
}

func parseSource(text string) (Source, error) {
	for _, s := range Known {
		if s.Name == text {
			return s, nil
		}
	}
	fault := func(err error) (Source, error) { return Source{}, fmt.Errorf("%q %w", text, err) }
	if rest, ok := strings.CutPrefix(text, sruPrefix); ok {
		s, err := parseSRU(rest)
		if err != nil {
			return fault(err)
		}
		return s, nil
	}
	if rest, ok := strings.CutPrefix(text, openLibraryPrefix); ok {
		u, err := parseAddress(rest)
		if err == nil && u.RawQuery != "" {
			err = errors.New("must not have a query")
		}
		if err != nil {
			return fault(err)
		}
		u.Path = strings.TrimSuffix(u.Path, "/")
		return Source{u.Host, openLibrary{u}}, nil
	}
	return fault(errors.New("is not loc, dnb, openlibrary, sru+https://HOST/PATH?index=INDEX or openlibrary+https://HOST"))
}

func parseSRU(text string) (Source, error) {
	u, err := parseAddress(text)
	if err != nil {
		return Source{}, err
	}
	query, err := url.ParseQuery(u.RawQuery)
	if err != nil {
		return Source{}, errors.New("has a query that cannot be read")
	}
	s := sru{address: u, index: defaultIndex, schema: "marcxml"}
	for name, values := range query {
		switch {
		case len(values) != 1 || values[0] == "" || strings.ContainsAny(values[0], "\"\\ ()=<>/"):
			return Source{}, fmt.Errorf("must have one %s, without signs that have a meaning in a query", name)
		case name == "index":
			s.index = values[0]
		case name == "recordSchema":
			s.schema = values[0]
		default:
			return Source{}, fmt.Errorf("has a %s in its query: there may be an index and a recordSchema", name)
		}
	}
	return Source{u.Host, s}, nil
}
