package command

import (
	"slices"
	"strings"
)

const variablePrefix = "LIBRARY_"

// variable is one that a command reads.
type variable struct {
	name  string
	short string // its name without the group that it belongs to, which people may try
}

// withVariables is the environment with a list of the variables that are read.
func (e Environment) withVariables() Environment {
	e.variables = &[]variable{}
	return e
}

// AddVariable says that a command reads a variable.
func (e Environment) AddVariable(name, short string) {
	if e.variables != nil {
		*e.variables = append(*e.variables, variable{name, short})
	}
}

// Misspelt finds the variables in the environment that are none of ours, but
// look like one. Others that begin as ours do belong to somebody else, such as
// those that Kubernetes makes for a service with the name "library". The
// variables of all commands are ours: they share an environment.
func (e Environment) Misspelt() Problems {
	if e.Names == nil || e.variables == nil {
		return nil
	}
	var problems Problems
	for _, name := range e.Names() {
		value, _ := e.Lookup(name)
		rest, ours := strings.CutPrefix(name, variablePrefix)
		if !ours || value == "" {
			continue
		}
		if meant := e.meant(rest); meant != "" && meant != name {
			problems.Add(name, "there is no such setting; did you mean "+meant+"?")
		}
	}
	slices.SortFunc(problems, func(a, b Problem) int { return strings.Compare(a.Where, b.Where) })
	return problems
}

// meant is the variable of ours that somebody means who writes this after the
// prefix, or "".
func (e Environment) meant(rest string) string {
	var right []string
	short := ""
	for _, v := range *e.variables {
		if v.name == variablePrefix+rest {
			return v.name
		}
		if v.short == variablePrefix+rest {
			short = v.name
		}
		right = append(right, strings.ToLower(strings.TrimPrefix(v.name, variablePrefix)))
	}
	if near := nearest(rest, right); short == "" && near != "" {
		return variablePrefix + strings.ToUpper(near)
	}
	return short
}
