package main

import "example.org/library/lookup"

// lookupConfig is which strangers are asked about books. Without a setting nobody is.
type lookupConfig struct {
	covers string
}

func (c *lookupConfig) settings() []setting {
	return []setting{
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
