package books

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"example.org/library/api"
	"example.org/library/cli/command"
	"example.org/library/client"
	"example.org/library/terminal"
)

// The form of a book is what a person sees in the editor:
//
//	title: The C Programming Language
//	author: Brian W. Kernighan
//	author: Dennis M. Ritchie
//	isbn: 978-0-13-110362-7
//	---
//	Everything below the line is the description.

const formLine = "---"

// formatBook writes the form of a book.
func formatBook(f client.BookFields) string {
	var b strings.Builder
	for _, field := range fields {
		lines := field.lines(f.BookFields)
		if field.below {
			fmt.Fprintf(&b, "%s\n%s\n", formLine, lines[0])
			continue
		}
		if len(lines) == 0 {
			lines = []string{""}
		}
		for _, line := range lines {
			fmt.Fprintf(&b, "%s: %s\n", field.flag, line)
		}
	}
	return b.String()
}

// parseBook reads the form of a book.
func parseBook(form string) (client.BookFields, error) {
	var f client.BookFields
	head := form
	if at := lineIndex(form, formLine); at >= 0 {
		head = form[:at]
		below := fields[len(fields)-1].textOf(&f.BookFields)
		*below = strings.TrimSpace(strings.ReplaceAll(form[at+len(formLine):], "\r\n", "\n"))
	}
	number := 0
	for line := range strings.Lines(head) {
		number++
		line = strings.TrimSpace(line)
		if line == "" {
			continue
		}
		key, value, _ := strings.Cut(line, ":")
		if !parseLine(&f.BookFields, strings.ToLower(strings.TrimSpace(key)), strings.TrimSpace(value)) {
			return f, fmt.Errorf("line %d of the form begins with %s; it takes %s, and the %s below a line of %s",
				number, command.Quote(key), formKeys(), fields[len(fields)-1].flag, formLine)
		}
	}
	return f, nil
}

// parseLine reads a line above the line of the form. It reports whether it is one.
func parseLine(f *api.BookFields, key, value string) bool {
	at := slices.IndexFunc(fields, func(field field) bool { return field.flag == key && !field.below })
	if at < 0 {
		return false
	}
	if text := fields[at].textOf(f); text != nil {
		*text = value
	} else if number := fields[at].numberOf(f); number != nil {
		n, err := strconv.Atoi(value)
		*number = n
		return value == "" || err == nil && n > 0
	} else if list := fields[at].listOf(f); value != "" {
		*list = append(*list, value)
	}
	return true
}

// formKeys is what lines above the line begin with.
func formKeys() string {
	var keys []string
	for _, field := range fields {
		if !field.below {
			keys = append(keys, field.flag+":")
		}
	}
	return strings.Join(keys, ", ")
}

// lineIndex is where a line begins that is nothing but the text, or -1.
func lineIndex(text, wanted string) int {
	at := 0
	for line := range strings.Lines(text) {
		if strings.TrimRight(line, "\r\n \t") == wanted {
			return at
		}
		at += len(line)
	}
	return -1
}

const maxBookText = 1 << 20

// readBook reads a book from a file or, for "-", from standard input. It is
// JSON, or the form.
func readBook(ctx context.Context, a *command.App, name string) (client.BookFields, error) {
	in, where := io.Reader(command.Interruptible{Ctx: ctx, In: a.Env.Stdin}), "standard input"
	if name != "-" {
		file, err := command.OpenFile(ctx, name)
		if err != nil {
			return client.BookFields{}, command.Fail(command.ExitFailed, "The book cannot be read: %w.", err)
		}
		defer file.Close()
		in, where = file, terminal.Clean(name)
	}
	text, err := io.ReadAll(io.LimitReader(in, maxBookText+1))
	switch {
	case err != nil:
		return client.BookFields{}, command.Fail(command.ExitFailed, "The book cannot be read: %w.", err)
	case len(text) > maxBookText:
		return client.BookFields{}, command.Fail(command.ExitFailed, "What comes from %s is too long for a book.", where)
	case strings.TrimSpace(string(text)) == "":
		return client.BookFields{}, command.Fail(command.ExitFailed, "Nothing comes from %s. Give the book as JSON, or with --title and other flags.", where)
	}
	fields, err := parseBookText(string(text))
	if err != nil {
		return fields, command.Fail(command.ExitFailed, "What comes from %s is not a book: %w.", where, err)
	}
	return fields, nil
}

func parseBookText(text string) (client.BookFields, error) {
	text = strings.TrimPrefix(text, "\ufeff") // some editors put it there
	switch strings.TrimSpace(text)[0] {
	case '{':
		return parseBookJSON(text)
	case '[':
		return client.BookFields{}, errors.New("it is a list; this command takes one book")
	}
	return parseBook(text)
}

// parseBookJSON reads a book as 'library books show --json' writes it.
func parseBookJSON(text string) (client.BookFields, error) {
	decoder := json.NewDecoder(strings.NewReader(text))
	decoder.DisallowUnknownFields() // a field with a slip of the pen in it would get lost
	var b struct {
		api.Book
		Copies *int `json:"copies"` // one that is not there is not none
	}
	if err := decoder.Decode(&b); err != nil {
		return client.BookFields{}, errors.New(strings.TrimPrefix(err.Error(), "json: "))
	}
	if _, err := decoder.Token(); !errors.Is(err, io.EOF) {
		return client.BookFields{}, errors.New("something follows the book; this command takes one")
	}
	fields := client.FieldsOf(b.Book)
	fields.Copies = b.Copies
	return fields, nil
}
