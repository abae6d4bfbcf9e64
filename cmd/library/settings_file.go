package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"

	"github.com/pelletier/go-toml/v2"
	"github.com/pelletier/go-toml/v2/unstable"

	"example.org/library/cli/command"
)

// configSetting names the file with the settings of serve. Other commands take from it the
// settings they share with serve, and skip the rest.
func configSetting(into *string) setting {
	return setting{flag: "config", isFile: true, notKept: true, set: text(into),
		usage: "TOML file with the settings of serve, each under the name of its flag; flags and environment win"}
}

// longestConfig is more than any configuration needs.
const longestConfig = 1 << 20

// readConfigFile reads the file named by one of the settings, if any.
func readConfigFile(settings []setting, values map[string]given) (map[string]given, []command.Problem) {
	at := slices.IndexFunc(settings, func(s setting) bool { return s.isFile })
	if at < 0 || values[settings[at].flag].text == "" {
		return nil, nil
	}
	path := values[settings[at].flag]
	data, err := readConfig(path.text)
	var inFile map[string]given
	problems := []command.Problem{problem(path.where, fmt.Sprintf("cannot be read: %v", err))}
	if err == nil {
		inFile, problems = parseConfig(configName(path.text), data, settings)
	}
	path.isBad = inFile == nil
	values[settings[at].flag] = path
	return inFile, problems
}

// configName returns the file's name for problems, "" if there is none.
func configName(path string) string {
	if path == "" {
		return ""
	}
	return filepath.Base(path)
}

func readConfig(path string) ([]byte, error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	data, err := io.ReadAll(io.LimitReader(file, longestConfig+1))
	if err == nil && len(data) > longestConfig {
		err = errors.New("it is too long for a configuration")
	}
	return data, err
}

// parseConfig reads the values of settings from the text of a file. Problems are
// named with the file and the line.
func parseConfig(name string, data []byte, settings []setting) (map[string]given, []command.Problem) {
	var content map[string]any
	if err := toml.Unmarshal(data, &content); err != nil {
		where := name
		if syntax, ok := errors.AsType[*toml.DecodeError](err); ok {
			line, column := syntax.Position()
			where = fmt.Sprintf("%s:%d:%d", name, line, column)
		}
		return nil, []command.Problem{problem(where, "is not TOML: "+strings.TrimPrefix(err.Error(), "toml: "))}
	}
	values := make(map[string]given)
	var problems []command.Problem
	for _, key := range keysOf(data) {
		where := fmt.Sprintf("%s:%d: %s", name, key.line, key.name)
		if key.isTable {
			problems = append(problems, problem(where, "is a table; settings are written without one, before any line in brackets"))
			continue
		}
		if p := checkKey(where, key.name); p != nil {
			problems = append(problems, *p)
			continue
		}
		at := slices.IndexFunc(settings, func(s setting) bool { return s.flag == key.name || s.former == key.name })
		if at < 0 {
			continue // of serve alone
		}
		text, err := settings[at].fromTOML(content[key.name])
		if err == nil {
			err = checkFilledIn(text)
		}
		if err != nil {
			problems = append(problems, problem(where, err.Error()))
		}
		value := given{text: text, where: where, isFormer: settings[at].former == key.name}
		if err != nil {
			value.text, value.isBad = settings[at].value, true
		}
		values[settings[at].flag] = value
	}
	return values, problems
}

func checkKey(where, key string) *command.Problem {
	var names []string
	for _, s := range (&serveConfig{}).settings() {
		if s.flag == key && s.notKept {
			p := problem(where, "is for the command line alone")
			return &p
		}
		if s.flag == key && s.secret {
			p := problem(where, "cannot be in a file shown around; it is the variable "+s.env())
			return &p
		}
		if s.former != "" && s.former == key {
			return nil
		}
		if !s.notKept && !s.secret {
			names = append(names, s.flag)
		}
	}
	if slices.Contains(names, key) {
		return nil
	}
	p := command.NoSuchKey(where, key, names)
	return &p
}

// configKey is a key of the file, and its line.
type configKey struct {
	name    string
	line    int
	isTable bool
}

// keysOf finds the keys in a valid TOML text, and the tables.
func keysOf(data []byte) (keys []configKey) {
	var p unstable.Parser
	p.Reset(data)
	table := false
	for p.NextExpression() {
		node := p.Expression()
		isTable := node.Kind == unstable.Table || node.Kind == unstable.ArrayTable
		if table && !isTable {
			continue // said once, for the table
		}
		table = table || isTable
		if node.Kind != unstable.KeyValue && !isTable {
			continue
		}
		var parts []string
		line := 0
		for it := node.Key(); it.Next(); {
			parts = append(parts, string(it.Node().Data))
			if line == 0 {
				line = p.Shape(it.Node().Raw).Start.Line
			}
		}
		keys = append(keys, configKey{strings.Join(parts, "."), line, isTable})
	}
	return keys
}

// fromTOML is a value as it would be on the command line.
func (s setting) fromTOML(value any) (string, error) {
	switch v := value.(type) {
	case bool:
		if s.boolean {
			return strconv.FormatBool(v), nil
		}
	case string:
		if s.boolean {
			return "", errors.New("must be true or false, without quotes")
		}
		return v, nil
	case int64:
		if isNumber(s.value) {
			return strconv.FormatInt(v, 10), nil
		}
	case []any:
		if s.list {
			return joinList(v)
		}
	}
	switch {
	case s.boolean:
		return "", errors.New("must be true or false")
	case isNumber(s.value):
		return "", errors.New("must be a number")
	case s.list:
		return "", errors.New(`must be text in quotes, or a list such as ["a", "b"]`)
	}
	return "", errors.New("must be text in quotes")
}

func joinList(values []any) (string, error) {
	var words []string
	for _, v := range values {
		word, is := v.(string)
		if !is || strings.Contains(word, ",") {
			return "", errors.New(`must be a list of texts, such as ["a", "b"]`)
		}
		words = append(words, word)
	}
	return strings.Join(words, ","), nil
}

// tellsPassword reports whether everybody on the machine can read a password in the
// configuration file.
func tellsPassword(path string) bool {
	info, err := os.Stat(path)
	if err != nil || info.Mode().Perm()&0o004 == 0 || runtime.GOOS == "windows" { // which has no such bits
		return false
	}
	settings := (&serveConfig{}).settings()
	values, _ := readConfigFile(settings, map[string]given{"config": {text: path}})
	return withoutPassword(values["database"].text) != values["database"].text
}
