package main

import (
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"
)

// setting is one thing that a person can configure: a flag, and an environment
// variable of the same name.
type setting struct {
	flag    string
	value   string // the default
	usage   string
	boolean bool
	group   string             // goes before the name in the environment, where two commands have the same flag
	set     func(string) error // takes the value, or says what is wrong with it
}

func (s setting) env() string {
	return "LIBRARY_" + s.group + strings.ToUpper(strings.ReplaceAll(s.flag, "-", "_"))
}

// fault is something wrong with the configuration.
type fault struct {
	where   string
	message string
}

// usageError is everything that is wrong with a command line and the
// environment, at once.
type usageError struct {
	command string
	faults  []fault
}

func (e *usageError) Error() string {
	var b strings.Builder
	if len(e.faults) == 1 {
		fmt.Fprintf(&b, "%s: one thing needs attention:\n", e.command)
	} else {
		fmt.Fprintf(&b, "%s: %d things need attention:\n", e.command, len(e.faults))
	}
	for _, f := range e.faults {
		if f.where != "" {
			f.where += ": "
		}
		fmt.Fprintf(&b, "  %s%s\n", f.where, f.message)
	}
	fmt.Fprintf(&b, "Run '%s --help' for more.\n", e.command)
	return b.String()
}

// configuration is what a command is configured by: its settings and the
// rules between them.
type configuration interface {
	settings() []setting
	// check reports faults that lie in more than one setting.
	check() []fault
}

// newConfigured makes a command that reads its configuration, reports every
// fault of it, and runs only if there is none.
func newConfigured(cmd *cobra.Command, env environment, cfg configuration, run func(*cobra.Command) error) *cobra.Command {
	// Cobra stops at the first flag that it does not know. A person who mends
	// a configuration wants to hear of all faults.
	cmd.DisableFlagParsing = true
	cmd.Flags().SortFlags = false
	settings := cfg.settings()
	for _, s := range settings {
		*env.variables = append(*env.variables, s.env())
		usage := fmt.Sprintf("%s (%s)", s.usage, s.env())
		if s.boolean {
			cmd.Flags().Bool(s.flag, s.value == "true", usage)
		} else {
			cmd.Flags().String(s.flag, s.value, usage)
		}
	}
	cmd.ValidArgsFunction = completeSettings(settings)
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		if slices.Contains(args, "--help") || slices.Contains(args, "-h") {
			return cmd.Help()
		}
		faults := load(settings, args, env.lookup)
		faults = append(append(faults, cfg.check()...), env.misspelt(*env.variables)...)
		if len(faults) > 0 {
			return &usageError{command: cmd.CommandPath(), faults: faults}
		}
		return run(cmd)
	}
	return cmd
}

// load sets every setting: from its flag, else its environment variable, else
// its default.
func load(settings []setting, args []string, lookup func(string) (string, bool)) []fault {
	given, faults := parseFlags(settings, args)
	for _, s := range settings {
		value, where := s.value, "--"+s.flag
		if v, ok := given[s.flag]; ok {
			value = v
		} else if v, ok := lookup(s.env()); ok && v != "" {
			value, where = v, s.env()
		}
		if err := s.set(value); err != nil {
			faults = append(faults, fault{where, err.Error()})
		}
	}
	return faults
}

// noSuchSetting is the fault of a flag that is not there.
func noSuchSetting(settings []setting, arg string) fault {
	name, long := strings.CutPrefix(arg, "--")
	if !long {
		return fault{arg, "there is no such flag"}
	}
	names := make([]string, len(settings))
	for i, s := range settings {
		names[i] = s.flag
	}
	return noSuchFlag(name, names)
}

// parseFlags reads --flag value, --flag=value and, for booleans, --flag.
func parseFlags(settings []setting, args []string) (given map[string]string, faults []fault) {
	given = make(map[string]string)
	for len(args) > 0 {
		arg := args[0]
		args = args[1:]
		if !strings.HasPrefix(arg, "-") {
			faults = append(faults, fault{arg, "is not a flag; this command takes no arguments"})
			continue
		}
		name, value, hasValue := strings.Cut(strings.TrimPrefix(arg, "--"), "=")
		at := slices.IndexFunc(settings, func(s setting) bool { return s.flag == name })
		next := len(args) > 0 && !strings.HasPrefix(args[0], "-")
		switch {
		case at < 0:
			faults = append(faults, noSuchSetting(settings, strings.SplitN(arg, "=", 2)[0]))
			if !hasValue && next {
				args = args[1:] // it belongs to the flag that we do not know
			}
			continue
		case hasValue:
		case settings[at].boolean && !(next && (args[0] == "true" || args[0] == "false")):
			value = "true"
		case !next:
			faults = append(faults, fault{arg, "needs a value"})
			continue
		default:
			value, args = args[0], args[1:]
		}
		given[name] = value
	}
	return given, faults
}
