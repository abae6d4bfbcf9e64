package cli

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

// AddVariable says that a command reads a variable.
func (e Environment) AddVariable(name string) { *e.variables = append(*e.variables, name) }

// Misspelt finds the variables in the environment that are none of ours, but
// look like one. Others that begin as ours do belong to somebody else, such as
// those that Kubernetes makes for a service with the name "library". The
// variables of all commands are ours: they share an environment.
func (e Environment) Misspelt() []Problem {
	if e.Names == nil || e.variables == nil {
		return nil
	}
	var right []string
	for _, name := range *e.variables {
		right = append(right, strings.ToLower(strings.TrimPrefix(name, variablePrefix)))
	}
	var problems []Problem
	for _, name := range e.Names() {
		value, _ := e.Lookup(name)
		rest, ours := strings.CutPrefix(name, variablePrefix)
		if !ours || value == "" || slices.Contains(*e.variables, name) {
			continue
		}
		if meant := nearest(rest, right); meant != "" {
			problems = append(problems, Problem{name, "there is no such setting; did you mean " + variablePrefix + strings.ToUpper(meant) + "?"})
		}
	}
	slices.SortFunc(problems, func(a, b Problem) int { return strings.Compare(a.Where, b.Where) })
	return problems
}
