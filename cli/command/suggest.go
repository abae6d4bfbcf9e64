package command

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"example.org/library/terminal"
)

// NoSuchCommand says that a group has no such command, and which one was
// perhaps meant.
func NoSuchCommand(group *cobra.Command, typed string) error {
	var names []string
	for _, cmd := range group.Commands() {
		if slices.Contains(cmd.SuggestFor, typed) { // a word that says the same, but is not spelled alike
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

// ExplainFlags says what is wrong with the flags of a command. Those of a
// command that is not there are wrong because of it.
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

const longestName = 40 // what is longer is not a name with a slip in it

// didYouMean is the question whether the nearest of the names was meant, or "".
func didYouMean(typed, prefix string, names []string) string {
	if name := nearest(typed, names); name != "" {
		return "; did you mean " + prefix + name + "?"
	}
	return ""
}

// nearest is the one of the names that was perhaps meant, or "". They are in
// lower case.
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

// distance is how many letters were left out, put in, changed or swapped
// between two words.
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
