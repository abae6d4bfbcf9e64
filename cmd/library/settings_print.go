package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/url"
	"strconv"
	"strings"
)

// configPrinter is a configuration that can be printed as a file.
type configPrinter interface {
	printsConfig() bool
	// printsPreset names the provider for whom it is printed, "" for none.
	printsPreset() string
}

// printAs writes the configuration, or that for a provider.
func printAs(p configPrinter, out io.Writer, command string, settings []setting, values map[string]given) error {
	for _, preset := range presets {
		if preset.name == p.printsPreset() {
			return preset.print(out, settings, values)
		}
	}
	return printConfig(out, command, settings, values)
}

// printConfig writes all settings as a file for --config, each with what it is
// for. Those that have their default are commented out. A password in the address of
// the database is left out: what is printed is pasted into tickets.
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

// withoutPassword is the address of a database that may be shown.
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
