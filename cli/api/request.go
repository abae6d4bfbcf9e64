package api

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/textproto"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"example.org/library/cli/command"
	"example.org/library/client"
)

// maxInput is the largest input, in bytes. It is more than the library accepts.
const maxInput = 16 << 20

// newCall makes the call from the flags and arguments.
func newCall(ctx context.Context, a *command.App, cmd *cobra.Command, c *client.Client, o *options, args []string) (client.Call, error) {
	call := client.Call{Method: o.method, Header: http.Header{}}
	given := args[len(args)-1]
	path, query, problem := apiPath(c.Address(), given)
	if problem != "" {
		return call, command.Usage(cmd, given, problem)
	}
	call.Path, call.Query = path, query
	for _, header := range o.headers {
		name, value, problem := parseHeader(header)
		if problem != "" {
			return call, command.Usage(cmd, "--header", problem)
		}
		call.Header.Add(name, value)
	}
	fields, err := readFields(ctx, a, cmd, o)
	switch {
	case err != nil:
		return call, err
	case o.input != "" || call.Method == http.MethodGet || call.Method == http.MethodHead:
		for name, value := range fields {
			addParameter(call.Query, name, value)
		}
	case len(fields) > 0:
		call.Body, err = json.Marshal(fields)
	}
	if o.input != "" {
		call.Body, err = readInput(ctx, a, cmd, "--input", o.input)
	}
	return call, err
}

// apiPath returns the path below the address of the library. A person may give a path
// with or without the path of the library, or a whole address. An address elsewhere is
// a problem: the token must not go there.
func apiPath(address, given string) (path string, query url.Values, problem string) {
	base, err := url.Parse(address)
	if err != nil {
		return "", nil, "cannot be put after the address of the library"
	}
	u, err := url.Parse(given)
	switch {
	case err != nil || given == "" || u.Opaque != "" || strings.Contains(given, "#"):
		return "", nil, "is not a path of the API, such as /books"
	case strings.HasPrefix(given, "//"), u.User != nil,
		u.Scheme != "" && (!strings.EqualFold(u.Scheme, base.Scheme) || !strings.EqualFold(u.Host, base.Host)):
		return "", nil, "is not at the library at " + address + "; nothing was sent"
	case slices.ContainsFunc(strings.Split(u.Path, "/"), func(step string) bool { return step == "." || step == ".." }):
		return "", nil, "has . or .. in it, which could lead out of the library; nothing was sent"
	}
	path = "/" + strings.TrimPrefix(u.EscapedPath(), "/")
	below, inside := strings.CutPrefix(path, base.EscapedPath()+"/")
	switch {
	case base.EscapedPath() == "":
	case inside:
		path = "/" + below
	case u.Scheme != "":
		return "", nil, "is not below " + address + "; nothing was sent"
	}
	query, err = url.ParseQuery(u.RawQuery)
	if err != nil {
		return "", nil, "has a query that cannot be read"
	}
	return path, query, ""
}

// notOurs are headers a person cannot set: the program itself sends them.
var notOurs = []string{"Authorization", "Host", "Content-Length", "Transfer-Encoding", "Connection", "Cookie"}

func parseHeader(text string) (name, value, problem string) {
	name, value, found := strings.Cut(text, ":")
	name = textproto.CanonicalMIMEHeaderKey(strings.TrimSpace(name))
	switch {
	case !found || name == "" || strings.ContainsAny(name, " \r\n") || strings.ContainsAny(value, "\r\n"):
		return "", "", fmt.Sprintf("is %q; it must be 'Name: value'", text)
	case slices.Contains(notOurs, name):
		return "", "", "cannot be " + name + ", which the program itself sends"
	}
	return name, strings.TrimSpace(value), ""
}

// readFields reads the fields of a body. A list in it has the type []any.
func readFields(ctx context.Context, a *command.App, cmd *cobra.Command, o *options) (map[string]any, error) {
	fields := map[string]any{}
	for _, kind := range []struct {
		flag   string
		values []string
		typed  bool
	}{{"--raw-field", o.rawFields, false}, {"--field", o.fields, true}} {
		for _, field := range kind.values {
			name, text, hasValue := strings.Cut(field, "=")
			key, isList := strings.CutSuffix(name, "[]")
			if key == "" || !hasValue && !isList || strings.ContainsAny(key, "[]") {
				return nil, command.Usage(cmd, kind.flag, fmt.Sprintf("is %q; it must be NAME=VALUE, or NAME[]=VALUE for a list", field))
			}
			value := any(text)
			if file, isFile := strings.CutPrefix(text, "@"); kind.typed && isFile {
				content, err := readInput(ctx, a, cmd, kind.flag, file)
				if err != nil {
					return nil, err
				}
				value = string(content)
			} else if kind.typed {
				value = typedValue(text)
			}
			if !isList {
				fields[key] = value
				continue
			}
			list, _ := fields[key].([]any)
			if hasValue {
				list = append(list, value)
			}
			fields[key] = append([]any{}, list...)
		}
	}
	return fields, nil
}

// typedValue returns the value a text looks like: a bool, nil, a number or the text.
func typedValue(text string) any {
	switch text {
	case "true", "false":
		return text == "true"
	case "null":
		return nil
	}
	if n, err := strconv.Atoi(text); err == nil {
		return n
	}
	return text
}

func addParameter(query url.Values, name string, value any) {
	switch value := value.(type) {
	case nil:
		query.Set(name, "")
	case []any:
		for _, one := range value {
			query.Add(name, fmt.Sprint(one))
		}
	default:
		query.Set(name, fmt.Sprint(value))
	}
}

func readInput(ctx context.Context, a *command.App, cmd *cobra.Command, flag, name string) ([]byte, error) {
	text, err := a.ReadInput(ctx, name, maxInput)
	switch {
	case err != nil:
		return nil, command.Usage(cmd, flag, "cannot be read: "+err.Error())
	case len(text) > maxInput:
		return nil, command.Usage(cmd, flag, fmt.Sprintf("has more than %d MiB", maxInput>>20))
	}
	return text, nil
}
