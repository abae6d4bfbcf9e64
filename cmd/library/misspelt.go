package main

import (
	"slices"
	"strings"
)

const variablePrefix = "LIBRARY_"

// clientVariables are those of the commands that use a library. Those of the
// commands that run one are in their settings.
var clientVariables = []string{
	"LIBRARY_SERVER", "LIBRARY_TOKEN", "LIBRARY_ISSUER", "LIBRARY_CLIENT_ID", "LIBRARY_CLIENT_SECRET",
	"LIBRARY_CONFIG_DIR", "LIBRARY_KEYRING",
}

// misspelt finds the variables in the environment that are none of ours, but
// look like one. Others that begin as ours do belong to somebody else, such as
// those that Kubernetes makes for a service with the name "library". known are
// the variables of all commands: they share an environment.
func (e environment) misspelt(known []string) []fault {
	if e.names == nil {
		return nil
	}
	var right []string
	for _, name := range known {
		right = append(right, strings.ToLower(strings.TrimPrefix(name, variablePrefix)))
	}
	var faults []fault
	for _, name := range e.names() {
		value, _ := e.lookup(name)
		rest, ours := strings.CutPrefix(name, variablePrefix)
		if !ours || value == "" || slices.Contains(known, name) {
			continue
		}
		if meant := nearest(rest, right); meant != "" {
			faults = append(faults, fault{name, "there is no such setting; did you mean " + variablePrefix + strings.ToUpper(meant) + "?"})
		}
	}
	slices.SortFunc(faults, func(a, b fault) int { return strings.Compare(a.where, b.where) })
	return faults
}
