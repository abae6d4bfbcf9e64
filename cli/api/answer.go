package api

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"mime"
	"net/http"
	"slices"
	"strings"

	"github.com/itchyny/gojq"

	"example.org/library/cli/command"
	"example.org/library/client"
	"example.org/library/terminal"
)

// maxAnswer is what is read of an answer that is looked into. What is only passed on
// has no limit.
const maxAnswer = 128 << 20

// callAPI makes a call and prints the answer.
func callAPI(ctx context.Context, a *command.App, c *client.Client, o *options, call client.Call) error {
	if o.paginate {
		return callPages(ctx, a, c, o, call)
	}
	resp, err := c.Do(ctx, call)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	if o.include {
		if err := printHeader(a, resp); err != nil {
			return err
		}
	}
	if resp.StatusCode >= http.StatusMultipleChoices && resp.StatusCode != http.StatusNotModified {
		return printRefusal(a, resp)
	}
	if o.filter == nil && !(a.Term.Interactive() && isJSON(resp)) {
		return passOn(a, resp.Body)
	}
	body, err := readAnswer(resp.Body)
	if err != nil {
		return err
	}
	return printAnswer(ctx, a, o, body)
}

// callPages gets the pages of a list one after the other. Of the address that a page
// names for the next only the cursor is used.
func callPages(ctx context.Context, a *command.App, c *client.Client, o *options, call client.Call) error {
	all := pages{app: a, options: o}
	visited := map[string]bool{}
	for {
		resp, err := c.Do(ctx, call)
		if err != nil {
			return err
		}
		if resp.StatusCode != http.StatusOK {
			defer resp.Body.Close()
			return printRefusal(a, resp)
		}
		body, err := readAnswer(resp.Body)
		resp.Body.Close()
		if err == nil {
			err = all.add(ctx, body)
		}
		if err != nil {
			return err
		}
		next := client.NextCursor(resp.Header)
		switch {
		case next == "":
			return all.end()
		case visited[next]:
			return command.Fail(command.ExitFailed, "The list does not come to an end: it leads to a page that was there before.")
		}
		visited[next] = true
		call.Query.Set("cursor", next)
	}
}

// pages are printed as one array, or each as a filter makes it.
type pages struct {
	app     *command.App
	options *options
	items   []json.RawMessage // for a person, who sees them when all are there
	before  string            // what is written before the next item
}

func (p *pages) add(ctx context.Context, body []byte) error {
	if p.options.filter != nil {
		return printAnswer(ctx, p.app, p.options, body)
	}
	var items []json.RawMessage
	if err := json.Unmarshal(body, &items); err != nil {
		return command.Fail(command.ExitFailed, "The answer is not a list, so it has no pages. Leave --paginate out.")
	}
	if p.app.Term.Interactive() {
		p.items = append(p.items, items...)
		return nil
	}
	var text bytes.Buffer
	for _, item := range items {
		text.WriteString(cmp.Or(p.before, "["))
		text.Write(item)
		p.before = ",\n"
	}
	_, err := p.app.Term.Out.Write(text.Bytes())
	return err
}

func (p *pages) end() error {
	switch {
	case p.options.filter != nil:
		return nil
	case p.app.Term.Interactive():
		return p.app.PrintJSON(slices.Concat([]json.RawMessage{}, p.items))
	}
	end := "]\n"
	if p.before == "" {
		end = "[]\n"
	}
	_, err := io.WriteString(p.app.Term.Out, end)
	return err
}

// printRefusal prints the body of a refusal, and returns it as an error.
func printRefusal(a *command.App, resp *http.Response) error {
	body, err := readAnswer(resp.Body)
	if err != nil {
		return err
	}
	shown := io.Reader(bytes.NewReader(body))
	var pretty bytes.Buffer
	if a.Term.Interactive() && json.Indent(&pretty, body, "", "  ") == nil {
		shown = &pretty
	}
	if err := passOn(a, shown); err != nil {
		return err
	}
	err = client.ReadError(resp, body)
	if refused, is := command.AsRefusal(err); is && refused.Status == http.StatusNotFound && refused.Code != "" {
		return command.Fail(command.ExitNotFound, "%s", command.WithDetails(refused)) // a path that is not there, perhaps, but the library is
	}
	return err
}

func readAnswer(body io.Reader) ([]byte, error) {
	text, err := io.ReadAll(io.LimitReader(body, maxAnswer+1))
	switch {
	case err != nil:
		return nil, fmt.Errorf("%w: the answer broke off; try again", client.ErrUnreachable)
	case len(text) > maxAnswer:
		return nil, command.Fail(command.ExitFailed, "The answer has more than %d MiB. Print it into a pipe, or ask with limit and --paginate.", maxAnswer>>20)
	}
	return text, nil
}

// passOn prints what comes as it comes; at a terminal without what that would obey.
func passOn(a *command.App, in io.Reader) error {
	if !a.Term.Interactive() {
		_, err := io.Copy(a.Term.Out, in)
		return err
	}
	out := &command.CleanLines{Out: a.Term.Out, Clean: terminal.CleanText}
	if _, err := io.Copy(out, in); err != nil {
		return err
	}
	if len(out.Begun) == 0 {
		return nil
	}
	_, err := out.Write([]byte("\n"))
	return err
}

func isJSON(resp *http.Response) bool {
	kind, _, _ := mime.ParseMediaType(resp.Header.Get("Content-Type"))
	return kind == "application/json" || strings.HasSuffix(kind, "+json")
}

// printHeader prints status and headers.
func printHeader(a *command.App, resp *http.Response) error {
	var b strings.Builder
	fmt.Fprintf(&b, "%s %s\n", resp.Proto, resp.Status)
	for _, name := range slices.Sorted(maps.Keys(resp.Header)) {
		for _, value := range resp.Header[name] {
			fmt.Fprintf(&b, "%s: %s\n", name, value)
		}
	}
	return passOn(a, strings.NewReader(b.String()+"\n"))
}

// printAnswer prints JSON for a person, or what a filter makes of it.
func printAnswer(ctx context.Context, a *command.App, o *options, body []byte) error {
	if o.filter == nil {
		var pretty bytes.Buffer
		if json.Indent(&pretty, body, "", "  ") != nil {
			return passOn(a, bytes.NewReader(body))
		}
		_, err := fmt.Fprintln(a.Term.Out, terminal.CleanJSON(strings.TrimRight(pretty.String(), "\n")))
		return err
	}
	var value any
	if err := json.Unmarshal(body, &value); err != nil {
		return command.Fail(command.ExitFailed, "The answer is not JSON, so --jq can make nothing of it.")
	}
	for results := o.filter.RunWithContext(ctx, value); ; {
		result, more := results.Next()
		if !more {
			return nil
		}
		if err := printResult(a, result); err != nil {
			return err
		}
	}
}

// printResult prints what a filter has made: a text as it is, all else as JSON.
func printResult(a *command.App, result any) error {
	var text string
	clean := terminal.CleanJSON
	switch result := result.(type) {
	case error:
		if halted, ok := errors.AsType[*gojq.HaltError](result); ok && halted.Value() == nil {
			return nil
		}
		return command.Fail(command.ExitFailed, "--jq: %w.", result)
	case string:
		text, clean = result, terminal.CleanText
	default:
		encoded, err := gojq.Marshal(result)
		if err != nil {
			return err
		}
		text = string(encoded)
	}
	if a.Term.Interactive() {
		text = clean(text)
	}
	_, err := fmt.Fprintln(a.Term.Out, text)
	return err
}
