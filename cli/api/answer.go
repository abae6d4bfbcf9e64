package api

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"iter"
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

// maxAnswer is the size of the largest answer read into memory, in bytes. An answer
// that is only passed on has no limit.
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

// callPages gets the pages of a list, and prints them as one array, or the results of a filter for
// each page.
func callPages(ctx context.Context, a *command.App, c *client.Client, o *options, call client.Call) error {
	pages := pagesOf(ctx, a, c, call)
	if o.filter == nil {
		return command.PrintArray(a, itemsOf(pages))
	}
	for page, err := range pages {
		if err == nil {
			err = printAnswer(ctx, a, o, page)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// pagesOf gets pages one after the other. It uses only the cursor of the address named by a page for
// the next one.
func pagesOf(ctx context.Context, a *command.App, c *client.Client, call client.Call) iter.Seq2[[]byte, error] {
	return func(yield func([]byte, error) bool) {
		for visited := map[string]bool{}; ; {
			resp, err := c.Do(ctx, call)
			if err != nil {
				yield(nil, err)
				return
			}
			if resp.StatusCode != http.StatusOK {
				yield(nil, printRefusal(a, resp))
				resp.Body.Close()
				return
			}
			body, err := readAnswer(resp.Body)
			resp.Body.Close()
			next := client.NextCursor(resp.Header)
			if visited[next] {
				err = command.Fail(command.ExitFailed, "The list does not come to an end: it leads to a page that was there before.")
			}
			if !yield(body, err) || err != nil || next == "" {
				return
			}
			visited[next] = true
			call.Query.Set("cursor", next)
		}
	}
}

func itemsOf(pages iter.Seq2[[]byte, error]) iter.Seq2[json.RawMessage, error] {
	return func(yield func(json.RawMessage, error) bool) {
		for page, err := range pages {
			var items []json.RawMessage
			if err == nil && json.Unmarshal(page, &items) != nil {
				err = command.Fail(command.ExitFailed, "The answer is not a list, so it has no pages. Leave --paginate out.")
			}
			if err != nil {
				yield(nil, err)
				return
			}
			for _, item := range items {
				if !yield(item, nil) {
					return
				}
			}
		}
	}
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
		return command.Fail(command.ExitNotFound, "%s", command.WithDetails(refused)) // perhaps the path is wrong, but the library is there
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

// passOn prints text as it comes; at a terminal without control characters.
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

// printAnswer prints JSON for a person, or the results of a filter.
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

// printResult prints a result of a filter: a text as it is, all else as JSON.
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
