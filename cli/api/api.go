// Package api implements 'library api', which sends any request to the service.
package api

import (
	"context"
	"net/http"
	"regexp"
	"slices"
	"strings"

	"github.com/itchyny/gojq"
	"github.com/spf13/cobra"

	"example.org/library/api"
	"example.org/library/cli/command"
	"example.org/library/client"
)

// options describe the request and the form of the answer.
type options struct {
	method     string
	fields     []string // with typed values
	rawFields  []string
	input      string
	headers    []string
	paginate   bool
	include    bool
	expression string

	filter *gojq.Code // nil without --jq
}

// New makes 'library api'.
func New(a *command.App) *cobra.Command {
	o := &options{}
	cmd := &cobra.Command{
		Use:   "api [METHOD] PATH",
		Short: "Call the API with your sign-in",
		Long: `Call the API of the library with your sign-in, and print the answer: readable at a
terminal, as it came in a pipe. PATH is below the address of the library, such as
/books; 'library api /openapi.yaml' describes all paths.

The method is GET, or POST if there are fields or an input. Fields make a JSON object;
for GET they are parameters of the query. --field turns true, false, null and whole
numbers into such values, and @FILE into what is in a file; --raw-field takes every
value as text. 'name[]=VALUE' adds to a list, and 'name[]' alone makes it.

A POST gets an Idempotency-Key, unless a header names one. --paginate follows a list
to its end and prints one array. The token goes to the library and nowhere else.

The exit code is that of the other commands; the body of an error is printed, too.`,
		Example: `  library api /books --jq '.[].title'
  library api GET /loans -f state=overdue --paginate
  library api /books -f title='The Iliad' -f 'authors[]=Homer' -F copies=30
  library api -X PUT /policy --input policy.json -H 'If-Match: "p1"'`,
		ValidArgsFunction: completeAPI,
	}
	o.addFlags(cmd)
	cmd.PreRunE = func(cmd *cobra.Command, args []string) error {
		if err := command.CheckArguments(cmd, args); err != nil {
			return err
		}
		return o.check(args).In(cmd)
	}
	return a.Remote(cmd, func(ctx context.Context, c *client.Client, args []string) error {
		call, err := newCall(ctx, a, cmd, c, o, args)
		if err != nil {
			return err
		}
		return callAPI(ctx, a, c, o, call)
	})
}

func (o *options) addFlags(cmd *cobra.Command) {
	f := cmd.Flags()
	f.StringVarP(&o.method, "method", "X", "", "method of the request, GET or POST by default")
	f.StringArrayVarP(&o.fields, "field", "F", nil, "a field as NAME=VALUE, of the type that the value looks like; can be repeated")
	f.StringArrayVarP(&o.rawFields, "raw-field", "f", nil, "a field as NAME=VALUE, a text; can be repeated")
	f.StringVar(&o.input, "input", "", "file with the body, or - for standard input; fields are then parameters of the query")
	f.StringArrayVarP(&o.headers, "header", "H", nil, "a header as 'Name: value'; can be repeated")
	f.BoolVar(&o.paginate, "paginate", false, "get all pages of a list")
	f.BoolVarP(&o.include, "include", "i", false, "print status and headers before the body")
	f.StringVarP(&o.expression, "jq", "q", "", "print what a jq expression makes of the answer, of each page with --paginate")
	command.CompleteFlag(cmd, "method", methods...)
}

var methods = []string{http.MethodGet, http.MethodPost, http.MethodPut, http.MethodDelete, http.MethodHead}

// check takes the method from the arguments, and returns the problems of the command
// line that can be found without the library.
func (o *options) check(args []string) command.Problems {
	var problems command.Problems
	if len(args) == 2 {
		if o.method != "" && !strings.EqualFold(o.method, args[0]) {
			problems.Add("--method", "differs from the method before the path")
		}
		o.method = args[0]
	}
	o.method = strings.ToUpper(o.method)
	if o.method == "" {
		o.method = http.MethodGet
		if o.input != "" || len(o.fields)+len(o.rawFields) > 0 {
			o.method = http.MethodPost
		}
	}
	if !slices.Contains(methods, o.method) {
		problems.Add(o.method, "is not a method of the API; it has "+strings.Join(methods, ", "))
	}
	if o.paginate && o.method != http.MethodGet {
		problems.Add("--paginate", "is for GET; add -X GET if the fields are parameters of the query")
	}
	if o.paginate && o.include {
		problems.Add("--include", "cannot go with --paginate: each page has headers of its own")
	}
	if o.expression != "" {
		query, err := gojq.Parse(o.expression)
		if err == nil {
			o.filter, err = gojq.Compile(query)
		}
		if err != nil {
			problems.Add("--jq", "cannot be understood: "+err.Error())
		}
	}
	return problems
}

var pathsOfAPI = regexp.MustCompile(`(?m)^  (/[^\s:]+):$`)

// completeAPI offers the methods, and the paths of the contract file.
func completeAPI(_ *cobra.Command, args []string, typed string) ([]cobra.Completion, cobra.ShellCompDirective) {
	var all []cobra.Completion
	if len(args) == 0 {
		all = append(all, methods...)
	}
	for _, found := range pathsOfAPI.FindAllSubmatch(api.OpenAPI, -1) {
		if path := string(found[1]); len(args) < 2 && strings.HasPrefix(path, typed) {
			all = append(all, path)
		}
	}
	return all, cobra.ShellCompDirectiveNoFileComp
}
