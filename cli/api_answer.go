package cli

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"
	"slices"
	"strings"

	"github.com/itchyny/gojq"

	"example.org/library/client"
	"example.org/library/terminal"
)

// maxAnswer is what is read of an answer that is looked into. What is only passed on
// has no limit.
const maxAnswer = 128 << 20

// callAPI makes a call and prints the answer.
func (a *app) callAPI(ctx context.Context, c *client.Client, o *apiOptions, call client.Call) error {
	if o.paginate {
		return a.callPages(ctx, c, o, call)
	}
	resp, err := c.Do(ctx, call)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	if o.include {
		if err := a.printHeader(resp); err != nil {
			return err
		}
	}
	if resp.StatusCode >= http.StatusMultipleChoices && resp.StatusCode != http.StatusNotModified {
		return a.printRefusal(resp)
	}
	if o.filter == nil && !(a.term.Interactive() && isJSON(resp)) {
		return a.passOn(resp.Body)
	}
	body, err := readAnswer(resp.Body)
	if err != nil {
		return err
	}
	return a.printAnswer(ctx, o, body)
}

// callPages gets the pages of a list one after the other. Of the address that a page
// names for the next only the cursor is used.
func (a *app) callPages(ctx context.Context, c *client.Client, o *apiOptions, call client.Call) error {
	all := pages{app: a, options: o}
	visited := map[string]bool{}
	for {
		resp, err := c.Do(ctx, call)
		if err != nil {
			return err
		}
		if resp.StatusCode != http.StatusOK {
			defer resp.Body.Close()
			return a.printRefusal(resp)
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
			return fail(ExitFailed, "The list does not come to an end: it leads to a page that was there before.")
		}
		visited[next] = true
		call.Query.Set("cursor", next)
	}
}

// pages are printed as one array, or each as a filter makes it.
type pages struct {
	app     *app
	options *apiOptions
	items   []json.RawMessage // for a person, who sees them when all are there
	before  string            // what is written before the next item
}

func (p *pages) add(ctx context.Context, body []byte) error {
	if p.options.filter != nil {
		return p.app.printAnswer(ctx, p.options, body)
	}
	var items []json.RawMessage
	if err := json.Unmarshal(body, &items); err != nil {
		return fail(ExitFailed, "The answer is not a list, so it has no pages. Leave --paginate out.")
	}
	if p.app.term.Interactive() {
		p.items = append(p.items, items...)
		return nil
	}
	var text bytes.Buffer
	for _, item := range items {
		text.WriteString(cmp.Or(p.before, "["))
		text.Write(item)
		p.before = ",\n"
	}
	_, err := p.app.term.Out.Write(text.Bytes())
	return err
}

func (p *pages) end() error {
	switch {
	case p.options.filter != nil:
		return nil
	case p.app.term.Interactive():
		return p.app.printJSON(slices.Concat([]json.RawMessage{}, p.items))
	}
	end := "]\n"
	if p.before == "" {
		end = "[]\n"
	}
	_, err := io.WriteString(p.app.term.Out, end)
	return err
}

// printRefusal prints the body of a refusal, and returns it as an error.
func (a *app) printRefusal(resp *http.Response) error {
	body, err := readAnswer(resp.Body)
	if err != nil {
		return err
	}
	shown := io.Reader(bytes.NewReader(body))
	var pretty bytes.Buffer
	if a.term.Interactive() && json.Indent(&pretty, body, "", "  ") == nil {
		shown = &pretty
	}
	if err := a.passOn(shown); err != nil {
		return err
	}
	err = client.ReadError(resp, body)
	if refused, is := asRefusal(err); is && refused.Status == http.StatusNotFound && refused.Code != "" {
		return fail(ExitNotFound, "%s", withDetails(refused)) // a path that is not there, perhaps, but the library is
	}
	return err
}

func readAnswer(body io.Reader) ([]byte, error) {
	text, err := io.ReadAll(io.LimitReader(body, maxAnswer+1))
	switch {
	case err != nil:
		return nil, fmt.Errorf("%w: the answer broke off; try again", client.ErrUnreachable)
	case len(text) > maxAnswer:
		return nil, fail(ExitFailed, "The answer has more than %d MiB. Print it into a pipe, or ask with limit and --paginate.", maxAnswer>>20)
	}
	return text, nil
}

// passOn prints what comes as it comes; at a terminal without what that would obey.
func (a *app) passOn(in io.Reader) error {
	if !a.term.Interactive() {
		_, err := io.Copy(a.term.Out, in)
		return err
	}
	out := &cleanLines{out: a.term.Out, clean: terminal.CleanText}
	if _, err := io.Copy(out, in); err != nil {
		return err
	}
	if len(out.begun) == 0 {
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
func (a *app) printHeader(resp *http.Response) error {
	var b strings.Builder
	fmt.Fprintf(&b, "%s %s\n", resp.Proto, resp.Status)
	names := make([]string, 0, len(resp.Header))
	for name := range resp.Header {
		names = append(names, name)
	}
	slices.Sort(names)
	for _, name := range names {
		for _, value := range resp.Header[name] {
			fmt.Fprintf(&b, "%s: %s\n", name, value)
		}
	}
	return a.passOn(strings.NewReader(b.String() + "\n"))
}

// printAnswer prints JSON for a person, or what a filter makes of it.
func (a *app) printAnswer(ctx context.Context, o *apiOptions, body []byte) error {
	if o.filter == nil {
		var pretty bytes.Buffer
		if json.Indent(&pretty, body, "", "  ") != nil {
			return a.passOn(bytes.NewReader(body))
		}
		_, err := fmt.Fprintln(a.term.Out, terminal.CleanJSON(strings.TrimRight(pretty.String(), "\n")))
		return err
	}
	var value any
	if err := json.Unmarshal(body, &value); err != nil {
		return fail(ExitFailed, "The answer is not JSON, so --jq can make nothing of it.")
	}
	for results := o.filter.RunWithContext(ctx, value); ; {
		result, more := results.Next()
		if !more {
			return nil
		}
		if err := a.printResult(result); err != nil {
			return err
		}
	}
}

// printResult prints what a filter has made: a text as it is, all else as JSON.
func (a *app) printResult(result any) error {
	var text string
	clean := terminal.CleanJSON
	switch result := result.(type) {
	case error:
		var halted *gojq.HaltError
		if errors.As(result, &halted) && halted.Value() == nil {
			return nil
		}
		return fail(ExitFailed, "--jq: %w.", result)
	case string:
		text, clean = result, terminal.CleanText
	default:
		encoded, err := gojq.Marshal(result)
		if err != nil {
			return err
		}
		text = string(encoded)
	}
	if a.term.Interactive() {
		text = clean(text)
	}
	_, err := fmt.Fprintln(a.term.Out, text)
	return err
}
