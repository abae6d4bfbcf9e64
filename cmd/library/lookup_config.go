package main

import (
	"log/slog"

	"example.org/library/httpapi"
	"example.org/library/lookup"
)

// lookupConfig is which strangers are asked about books. Without a setting nobody is.
type lookupConfig struct {
	sources string
	covers  string
}

func (c *lookupConfig) settings() []setting {
	return []setting{
		{flag: "lookup", usage: "catalogues that are asked for an ISBN, separated by commas: loc, dnb, openlibrary, sru+https://HOST/PATH?index=INDEX or openlibrary+https://HOST; empty for none", set: func(v string) error {
			c.sources = v
			_, err := lookup.ParseSources(v)
			return err
		}},
		{flag: "covers", usage: "where covers are fetched by ISBN: openlibrary, or an address with {isbn} in it; empty for nowhere", set: func(v string) error {
			c.covers = v
			_, err := lookup.ParseCovers(v)
			return err
		}},
	}
}

// coverSource is where covers are fetched, nil for nowhere.
func (c *lookupConfig) coverSource() *lookup.Covers {
	source, _ := lookup.ParseCovers(c.covers) // which was good when it was set
	return source
}

// catalogues are those that are asked about books, nil for none.
func (c *lookupConfig) catalogues(log *slog.Logger, m *httpapi.Metrics) *lookup.Lookup {
	sources, _ := lookup.ParseSources(c.sources) // which were good when they were set
	if len(sources) == 0 {
		return nil
	}
	return lookup.New(sources, lookup.Options{Logger: log, Count: m.LookedUp})
}
