package main

import (
	"bytes"
	"embed"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"example.org/library/cli/command"
)

// printConfig writes all settings as a file for --config, each with its purpose. Defaults are
// commented out. A password in the address of the database is left out: printed configurations are
// pasted into tickets.
func printConfig(out io.Writer, command string, settings []setting, values map[string]given) error {
	var b bytes.Buffer
	fmt.Fprintf(&b, "# The configuration of '%s'. Flags and environment variables win over it.\n", command)
	for _, s := range settings {
		if s.notKept || s.isWord || s.secret {
			continue
		}
		fmt.Fprintf(&b, "\n# %s (%s)\n", s.usage, s.env())
		value := values[s.flag].text
		if public := withoutPassword(value); s.flag == "database" && public != value {
			value = public
			fmt.Fprintf(&b, "# The password is not shown; it can be here, or in PGPASSWORD, or in a file that PGPASSFILE names.\n")
		}
		comment := ""
		if value == s.value {
			comment = "# "
		}
		fmt.Fprintf(&b, "%s%s = %s\n", comment, s.flag, s.toTOML(value))
	}
	_, err := out.Write(b.Bytes())
	return err
}

// toTOML is a value as it is in the file.
func (s setting) toTOML(value string) string {
	switch {
	case s.boolean, isNumber(value) && isNumber(s.value):
		return value
	case s.list && value != "":
		var words []string
		for word := range strings.SplitSeq(value, ",") {
			words = append(words, quoteTOML(strings.TrimSpace(word)))
		}
		return "[" + strings.Join(words, ", ") + "]"
	}
	return quoteTOML(value)
}

// quoteTOML writes text between quotes. TOML has the escapes of JSON, and has to
// escape one character more.
func quoteTOML(text string) string {
	var b strings.Builder
	encoder := json.NewEncoder(&b)
	encoder.SetEscapeHTML(false)
	_ = encoder.Encode(text) // text can always be encoded
	return strings.ReplaceAll(strings.TrimSuffix(b.String(), "\n"), "\x7f", `\u007f`)
}

func isNumber(text string) bool {
	n, err := strconv.Atoi(text)
	return err == nil && strconv.Itoa(n) == text
}

// withoutPassword returns the address of a database without its password.
func withoutPassword(address string) string {
	u, err := url.Parse(address)
	if err != nil || strings.HasPrefix(address, "sqlite:") {
		return address
	}
	query := u.Query()
	_, has := u.User.Password()
	if !has && !query.Has("password") && !query.Has("sslpassword") {
		return address
	}
	if has {
		u.User = url.User(u.User.Username())
	}
	query.Del("password")
	query.Del("sslpassword")
	u.RawQuery = query.Encode()
	return u.String()
}

// checkTogether returns the problems between several settings. It does not repeat problems: a bad
// value is not reported as missing, too. Without the configuration file, and when one is only
// printed, it returns none.
func checkTogether(cfg configuration, settings []setting, values map[string]given, said []command.Problem) (problems []command.Problem) {
	file := ""
	for _, s := range settings {
		if s.notKept && values[s.flag].isBad {
			return nil
		}
		if s.isFile {
			file = configName(values[s.flag].text)
		}
	}
	for _, p := range cfg.check() {
		at := slices.IndexFunc(settings, func(s setting) bool { return s.name() == p.Where })
		repeats := slices.ContainsFunc(said, func(q command.Problem) bool { return q.Where == p.Where })
		if repeats || at >= 0 && values[settings[at].flag].isBad {
			continue
		}
		if at >= 0 && file != "" {
			p = settings[at].missingIn(file, p)
		}
		problems = append(problems, p)
	}
	return problems
}

// missingIn names the file and the key of a required setting, for the writer of a file.
func (s setting) missingIn(file string, p command.Problem) command.Problem {
	message, isMissing := strings.CutSuffix(p.Message, "("+s.env()+")")
	if !isMissing || !s.isFlag() {
		return p
	}
	return problem(file+": "+s.flag, message+"("+s.name()+", "+s.env()+")")
}

// renameFlags replaces the former names of flags, and returns them by setting.
func renameFlags(settings []setting, args []string) (renamed []string, former map[string]string) {
	renamed, former = slices.Clone(args), map[string]string{}
	for i, arg := range args {
		name, value, hasValue := strings.Cut(arg, "=")
		for _, s := range settings {
			if s.former == "" || name != "--"+s.former {
				continue
			}
			former[s.flag], renamed[i] = name, s.name()
			if hasValue {
				renamed[i] += "=" + value
			}
		}
	}
	return renamed, former
}

func (c *serveConfig) noteOldNames(settings []setting, values map[string]given) {
	for _, s := range settings {
		if values[s.flag].isFormer {
			c.oldNames = append(c.oldNames, "--"+s.former+" is called "+s.name()+" now")
		}
	}
}

// presets has a configuration for each known identity provider, as a file for --config with gaps in
// angle brackets only for values that differ per library. docs/providers.md explains each.
//
//go:embed presets
var presets embed.FS

var presetNames = []string{"keycloak", "entra", "okta", "auth0", "google", "authentik", "zitadel", "dex", "cognito"}

func presetFor(into *string) setting {
	names := strings.Join(presetNames, ", ")
	return setting{flag: "for", notKept: true, usage: "with --print-config: a configuration for this identity provider with only your values to fill in: " + names,
		set: valid(into, "one of "+names, func(v string) (string, bool) { return v, v == "" || slices.Contains(presetNames, v) })}
}

var presetLine = regexp.MustCompile(`^([a-z-]+) = .*?(  # .*)?$`)

// printPreset writes a preset. Given settings win.
func printPreset(out io.Writer, name string, settings []setting, values map[string]given) error {
	text, err := presets.ReadFile("presets/" + name + ".toml")
	if err != nil {
		return err
	}
	lines := strings.Split(string(text), "\n")
	for i, line := range lines {
		parts := presetLine.FindStringSubmatch(line)
		for _, s := range settings {
			if got := values[s.flag].text; parts != nil && s.flag == parts[1] && got != s.value {
				lines[i] = fmt.Sprintf("%s = %s%s", s.flag, s.toTOML(got), parts[2])
			}
		}
	}
	_, err = io.WriteString(out, strings.Join(lines, "\n"))
	return err
}

var toFillIn = regexp.MustCompile(`<[A-Z][A-Z0-9 -]*>`)

func checkFilledIn(value string) error {
	if left := toFillIn.FindString(value); left != "" {
		return errPlaceholder(left)
	}
	return nil
}

func errPlaceholder(left string) error {
	return errors.New("still has the placeholder " + left + " in it; replace it with your value")
}
