package main

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"example.org/library/cli/command"
)

// setting is a flag, and an environment variable of the same name.
type setting struct {
	flag    string
	former  string // what the flag was called before, which still works
	value   string // the default
	usage   string
	boolean bool
	list    bool               // of values separated by commas
	isFile  bool               // names a file with the values of other settings
	notKept bool               // is about this run alone, so it cannot be in such a file
	repeats bool               // a list that can also be made by giving the flag several times
	secret  bool               // a variable alone: others can see flags, and a configuration is shown around
	isWord  bool               // not a flag but an argument with that name, such as FILE; there is no variable for it
	group   string             // goes before the name in the environment, where two commands have the same flag
	set     func(string) error // takes the value, or says what is wrong with it
}

// name returns the setting's name on the command line.
func (s setting) name() string {
	switch {
	case s.isWord:
		return s.flag
	case s.secret:
		return s.env()
	}
	return "--" + s.flag
}

func (s setting) isFlag() bool { return !s.isWord && !s.secret }

func (s setting) env() string {
	return "LIBRARY_" + s.group + strings.ToUpper(strings.ReplaceAll(s.flag, "-", "_"))
}

// inGroup puts the settings of a command into a group: LIBRARY_ADDR is the address of serve alone.
func inGroup(group string, settings []setting) []setting {
	for i := range settings {
		settings[i].group = group
	}
	return settings
}

// likelyEnv returns the variable derived from the former name of the flag, for spotting a wrong
// guess, or "".
func (s setting) likelyEnv() string {
	if s.former == "" {
		return ""
	}
	return setting{flag: s.former}.env()
}

func problem(where, message string) command.Problem {
	return command.Problem{Where: where, Message: message}
}

// The settings are read here and not by a library such as koanf: those merge sources, but know
// neither the line of a key in a file nor all mistakes at once.

// configuration is the configuration of a command: its settings and the rules between them.
type configuration interface {
	settings() []setting
	// check reports problems between several settings.
	check() []command.Problem
}

// newConfigured makes a command that reads its configuration, reports every problem of it, and
// runs only if there is none.
func newConfigured(cmd *cobra.Command, env command.Environment, cfg configuration, run func(*cobra.Command) error) *cobra.Command {
	// Cobra stops at the first unknown flag. A person fixing a configuration should see all
	// problems at once.
	cmd.DisableFlagParsing = true
	cmd.Flags().SortFlags = false
	settings := cfg.settings()
	addFlags(cmd, env, settings)
	cmd.ValidArgsFunction = completeSettings(settings)
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		if slices.Contains(args, "--help") || slices.Contains(args, "-h") {
			return cmd.Help()
		}
		values, problems := load(settings, args, env.Lookup)
		serving, isServe := cfg.(*serveConfig)
		switch prints := isServe && serving.printConfig; {
		case !prints:
			problems = append(problems, checkTogether(cfg, settings, values, problems)...)
		case len(problems) == 0 && serving.printFor != "":
			return printPreset(env.Stdout, serving.printFor, settings, values)
		case len(problems) == 0:
			return printConfig(env.Stdout, cmd.CommandPath(), settings, values)
		}
		if problems = append(problems, env.Misspelt()...); len(problems) > 0 {
			return &command.UsageError{Command: cmd.CommandPath(), Problems: problems}
		}
		if isServe {
			serving.noteOldNames(settings, values)
		}
		return run(cmd)
	}
	return cmd
}

// addFlags makes the flags and variables of settings known to the command.
func addFlags(cmd *cobra.Command, env command.Environment, settings []setting) {
	for _, s := range settings {
		if s.isWord {
			continue
		}
		env.AddVariable(s.env(), s.likelyEnv())
		if s.secret {
			continue
		}
		usage := fmt.Sprintf("%s (%s)", s.usage, s.env())
		if s.boolean {
			cmd.Flags().Bool(s.flag, s.value == "true", usage)
		} else {
			cmd.Flags().String(s.flag, s.value, usage)
		}
	}
}

// load sets every setting, and returns the values.
func load(settings []setting, args []string, lookup func(string) (string, bool)) (map[string]given, []command.Problem) {
	values, problems := resolve(settings, args, lookup)
	for _, s := range settings {
		v, known := values[s.flag]
		if !known {
			continue
		}
		if err := s.set(v.text); err != nil {
			problems = append(problems, problem(v.where, err.Error()))
			v.isBad = true
			values[s.flag] = v
		}
	}
	return values, problems
}

// given is the value of a setting, and where it comes from.
type given struct {
	text, where string
	isBad       bool // a problem says why
	isFormer    bool // it was given under the former name
}

// resolve finds the value of every setting: from its flag, else its environment variable, else the
// configuration file, else its default.
func resolve(settings []setting, args []string, lookup func(string) (string, bool)) (map[string]given, []command.Problem) {
	args, former := renameFlags(settings, args)
	flags, problems := parseFlags(settings, args)
	values := make(map[string]given)
	for _, s := range settings {
		if v, ok := flags[s.flag]; ok {
			values[s.flag] = given{text: v, where: cmp.Or(former[s.flag], s.name()), isFormer: former[s.flag] != ""}
		} else if s.isWord {
			problems = append(problems, problem(s.flag, "is missing: "+s.usage))
		} else if v, ok := lookup(s.env()); ok && v != "" {
			values[s.flag] = given{text: v, where: s.env()}
		}
	}
	inFile, fileProblems := readConfigFile(settings, values)
	for _, s := range settings {
		if _, ok := values[s.flag]; ok || s.isWord {
			continue
		}
		values[s.flag] = cmp.Or(inFile[s.flag], given{text: s.value, where: s.name()})
	}
	return values, append(problems, fileProblems...)
}

func noSuchSetting(settings []setting, arg string) command.Problem {
	name, long := strings.CutPrefix(arg, "--")
	if !long {
		return problem(arg, "there is no such flag")
	}
	var names []string
	for _, s := range settings {
		if s.isFlag() {
			names = append(names, s.flag)
		}
		if s.secret && s.flag == name {
			return problem(arg, "cannot be a flag, visible to others on the machine; it is the variable "+s.env())
		}
	}
	return command.NoSuchFlag(name, names)
}

// parseFlags reads --flag value, --flag=value and, for booleans, --flag.
func parseFlags(settings []setting, args []string) (given map[string]string, problems []command.Problem) {
	given = make(map[string]string)
	for len(args) > 0 {
		arg := args[0]
		args = args[1:]
		if isWord(arg) {
			problems = append(problems, takeWord(settings, given, arg)...)
			continue
		}
		name, value, hasValue := strings.Cut(strings.TrimPrefix(arg, "--"), "=")
		at := slices.IndexFunc(settings, func(s setting) bool { return s.flag == name && s.isFlag() })
		next := len(args) > 0 && (isWord(args[0]) || isNegative(args[0]))
		switch {
		case at < 0:
			problems = append(problems, noSuchSetting(settings, strings.SplitN(arg, "=", 2)[0]))
			if !hasValue && next {
				args = args[1:] // it belongs to the flag that we do not know
			}
			continue
		case hasValue:
		case settings[at].boolean && !(next && (args[0] == "true" || args[0] == "false")):
			value = "true"
		case !next:
			problems = append(problems, problem(arg, "needs a value"))
			continue
		default:
			value, args = args[0], args[1:]
		}
		if before := given[name]; settings[at].repeats && before != "" {
			value = before + "," + value
		}
		given[name] = value
	}
	return given, problems
}

// isWord reports whether an argument is no flag. A dash alone means standard
// input or output.
func isWord(arg string) bool { return arg == "-" || !strings.HasPrefix(arg, "-") }

// isNegative reports whether an argument begins with a negative number and so is not meant as a
// flag.
func isNegative(arg string) bool {
	return len(arg) > 1 && arg[0] == '-' && '0' <= arg[1] && arg[1] <= '9'
}

// takeWord gives an argument to the first name without one.
func takeWord(settings []setting, given map[string]string, arg string) []command.Problem {
	names := 0
	for _, s := range settings {
		if !s.isWord {
			continue
		}
		names++
		if _, taken := given[s.flag]; !taken {
			given[s.flag] = arg
			return nil
		}
	}
	message := "is one argument too many"
	if names == 0 {
		message = "is not a flag; this command takes no arguments"
	}
	if strings.Contains(arg, "://") { // not repeated: there may be a password in it
		return []command.Problem{problem("an address", message+"; the address of a database comes after --database")}
	}
	return []command.Problem{problem(arg, message)}
}

// completeSettings offers the flags of a command that parses them itself, and names of files for
// their values.
func completeSettings(settings []setting) cobra.CompletionFunc {
	return func(_ *cobra.Command, _ []string, typed string) ([]cobra.Completion, cobra.ShellCompDirective) {
		var flags []cobra.Completion
		for _, s := range settings {
			if name := "--" + s.flag; s.isFlag() && strings.HasPrefix(typed, "-") && strings.HasPrefix(name, typed) {
				flags = append(flags, cobra.CompletionWithDesc(name, s.usage))
			}
		}
		return flags, cobra.ShellCompDirectiveDefault
	}
}
