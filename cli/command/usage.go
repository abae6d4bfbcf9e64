package command

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"example.org/library"
	"example.org/library/internal/calendar"
	"example.org/library/terminal"
)

// Problem is one mistake in a command line or the environment.
type Problem struct {
	Where   string
	Message string
}

// UsageError holds all mistakes in a command line and the environment, at once.
type UsageError struct {
	Command  string
	Problems []Problem
}

func (e *UsageError) Error() string {
	var b strings.Builder
	if len(e.Problems) == 1 {
		fmt.Fprintf(&b, "%s: one thing needs attention:\n", e.Command)
	} else {
		fmt.Fprintf(&b, "%s: %d things need attention:\n", e.Command, len(e.Problems))
	}
	for _, p := range e.Problems {
		if p.Where != "" {
			p.Where += ": "
		}
		fmt.Fprintf(&b, "  %s%s\n", p.Where, p.Message)
	}
	fmt.Fprintf(&b, "Run '%s --help' for more.\n", e.Command)
	return b.String()
}

// Problems are the mistakes found in a command line so far.
type Problems []Problem

// Add adds a problem. Where may be "" for the whole command line.
func (p *Problems) Add(where, message string) { *p = append(*p, Problem{where, message}) }

// AddChoice adds the problem that a value is none of the choices.
func (p *Problems) AddChoice(where, value string, choices []string) {
	p.Add(where, fmt.Sprintf("is %q; it must be one of %s", value, strings.Join(choices, ", ")))
}

// CheckChoice adds the same problem if a value is given and is none of the choices.
func (p *Problems) CheckChoice(where, value string, choices []string) {
	if value != "" && !slices.Contains(choices, value) {
		p.AddChoice(where, value, choices)
	}
}

// CheckID adds a problem if an identifier is given and is none.
func (p *Problems) CheckID(where, id string) {
	if _, is := library.ParseID(id); id != "" && !is {
		p.Add(where, fmt.Sprintf("is %q; it must be a UUID of 36 characters", id))
	}
}

// CheckDate adds a problem if a date is given and is none.
func (p *Problems) CheckDate(where, date string) {
	if _, is := calendar.ParseDate(date); date != "" && !is {
		p.Add(where, fmt.Sprintf("is %q; it must be a date such as 2026-12-24", date))
	}
}

// CheckClear adds the problems of --clear: fields outside the choices, or given by their flags, too.
func (p *Problems) CheckClear(cmd *cobra.Command, fields, choices []string, flagOf func(field string) string) {
	for _, field := range fields {
		if !slices.Contains(choices, field) {
			p.AddChoice("--clear", field, choices)
		} else if flag := flagOf(field); cmd.Flags().Changed(flag) {
			p.Add("--clear "+field, "cannot go with --"+flag)
		}
	}
}

// In returns the error of a command with these problems, nil if there are none.
func (p Problems) In(cmd *cobra.Command) error {
	if len(p) == 0 {
		return nil
	}
	return &UsageError{Command: cmd.CommandPath(), Problems: p}
}

// Usage returns the error of a command line with one problem.
func Usage(cmd *cobra.Command, where, message string) error {
	return Problems{{where, message}}.In(cmd)
}

// NoSuchCommand says that a group has no such command, and offers one with a similar name.
func NoSuchCommand(group *cobra.Command, typed string) error {
	var names []string
	for _, cmd := range group.Commands() {
		if slices.Contains(cmd.SuggestFor, typed) { // a synonym, spelled differently
			return Usage(group, typed, "there is no such command; did you mean "+cmd.Name()+"?")
		}
		if !cmd.Hidden {
			names = append(append(names, cmd.Name()), cmd.Aliases...)
		}
	}
	return Usage(group, typed, "there is no such command"+didYouMean(typed, "", names))
}

// NoSuchFlag says the same of a flag.
func NoSuchFlag(typed string, names []string) Problem {
	return Problem{"--" + typed, "there is no such flag" + didYouMean(typed, "--", names)}
}

// NoSuchKey says the same of a setting in a file.
func NoSuchKey(where, typed string, names []string) Problem {
	return Problem{where, "there is no such setting" + didYouMean(typed, "", names)}
}

// ExplainFlags explains an error in the flags of a command. If there is no such
// command, it says so instead, since the flags are wrong because of it.
func ExplainFlags(cmd *cobra.Command, err error) error {
	if typed := cmd.Flags().Args(); len(typed) > 0 && cmd.HasSubCommands() {
		return NoSuchCommand(cmd, typed[0])
	}
	var invalid *pflag.InvalidValueError
	if errors.As(err, &invalid) && invalid.GetFlag().Value.Type() == "int" {
		return Usage(cmd, "--"+invalid.GetFlag().Name, fmt.Sprintf("is %q; it must be a whole number", terminal.Clean(invalid.GetValue())))
	}
	var unknown *pflag.NotExistError
	if !errors.As(err, &unknown) || unknown.GetSpecifiedShortnames() != "" {
		return Usage(cmd, "", err.Error())
	}
	var names []string
	cmd.Flags().VisitAll(func(f *pflag.Flag) {
		if !f.Hidden {
			names = append(names, f.Name)
		}
	})
	return Problems{NoSuchFlag(unknown.GetSpecifiedName(), names)}.In(cmd)
}

const longestName = 40 // a longer text is not a name with a slip in it

// didYouMean returns a question with the nearest of the names, or "".
func didYouMean(typed, prefix string, names []string) string {
	if name := nearest(typed, names); name != "" {
		return "; did you mean " + prefix + name + "?"
	}
	return ""
}

// nearest returns the name most similar to the typed one, or "" if none is
// similar. The names are in lower case.
func nearest(typed string, names []string) string {
	if typed == "" || len(typed) > longestName {
		return ""
	}
	// One slip of the pen in a short word, two in a longer one.
	found, least := "", min(2, len(typed)/3)+1
	typed = strings.ToLower(typed)
	for _, name := range names {
		if d := distance(typed, name); d < least {
			found, least = name, d
		}
	}
	if at := slices.IndexFunc(names, func(n string) bool { return strings.HasPrefix(n, typed) }); found == "" && at >= 0 {
		found = names[at]
	}
	return found
}

// distance returns how many letters were left out, put in, changed or swapped between two words.
func distance(a, b string) int {
	rows := make([][]int, len(a)+1)
	for i := range rows {
		rows[i] = make([]int, len(b)+1)
		rows[i][0] = i
		for j := 1; j <= len(b); j++ {
			if i == 0 {
				rows[i][j] = j
				continue
			}
			changed := rows[i-1][j-1]
			if a[i-1] != b[j-1] {
				changed++
			}
			rows[i][j] = min(rows[i-1][j]+1, rows[i][j-1]+1, changed)
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				rows[i][j] = min(rows[i][j], rows[i-2][j-2]+1)
			}
		}
	}
	return rows[len(a)][len(b)]
}

const variablePrefix = "LIBRARY_"

// variable is an environment variable of a command.
type variable struct {
	name  string
	short string // its name without its group; people may try it
}

// AddVariable records that a command reads a variable.
func (e Environment) AddVariable(name, short string) {
	if e.variables != nil {
		*e.variables = append(*e.variables, variable{name, short})
	}
}

// Misspelt finds variables in the environment with a name similar to one of ours. Other variables
// with our prefix belong to somebody else: Kubernetes, for example, makes some for a service with
// the name "library". The variables of all commands are ours: they share an environment.
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

// meant returns our variable with this name after the prefix, or else the one with
// the most similar name, or "".
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
