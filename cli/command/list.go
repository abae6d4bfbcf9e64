package command

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"iter"
	"slices"

	"github.com/spf13/cobra"

	"example.org/library/client"
	"example.org/library/terminal"
)

// usualLimit is how many records a person sees without asking for more.
const usualLimit = 30

// LimitFlag adds --limit to a command that lists.
func LimitFlag(cmd *cobra.Command, into *int) {
	cmd.Flags().IntVarP(into, "limit", "L", -1, "show at most this many, 0 for all (default 30 at a terminal, all in a pipe)")
	cmd.Flags().Lookup("limit").DefValue = "0" // not printed: the usage says it better
}

// CheckLimit returns the problems with --limit and --csv.
func CheckLimit(cmd *cobra.Command, limit int) Problems {
	problems := CheckCSV(cmd)
	if cmd.Flags().Changed("limit") && limit < 0 {
		problems.Add("--limit", fmt.Sprintf("is %d; it must be a number of records, or 0 for all", limit))
	}
	return problems
}

// LimitOf returns the limit for the value of --limit; 0 is none.
func (a *App) LimitOf(flag int) int {
	switch {
	case flag >= 0:
		return flag
	case a.Term.Interactive():
		return usualLimit
	}
	return 0
}

// List shows the records of pages: as JSON with --json, or else with show. It tells
// the person if there are none, or more than the list shows.
func List[T any](a *App, pages iter.Seq2[client.Page[T], error], show func(iter.Seq2[T, error]) error, nouns, none string) error {
	shown, total, more := 0, 0, ""
	items := client.Items(func(yield func(client.Page[T], error) bool) {
		for p, err := range pages {
			if shown, total = shown+len(p.Items), p.Total; p.AtLeast {
				more = "more than "
			}
			if !yield(p, err) {
				return
			}
		}
	})
	if a.JSON {
		show = func(items iter.Seq2[T, error]) error { return PrintArray(a, items) }
	}
	if err := show(items); err != nil {
		return err
	}
	switch {
	case total == 0:
		a.Say("%s", none)
	case shown < total:
		a.Say("Showing %s of %s%s %s; --limit 0 shows all.", Thousands(shown), more, Thousands(total), nouns)
	}
	return nil
}

// Collect reads a sequence to its end.
func Collect[T any](items iter.Seq2[T, error]) ([]T, error) {
	all := []T{}
	for item, err := range items {
		if err != nil {
			return nil, err
		}
		all = append(all, item)
	}
	return all, nil
}

// PrintArray writes records as a JSON array. In a pipe each is written as it
// comes, so that a list of any length needs no memory.
func PrintArray[T any](a *App, items iter.Seq2[T, error]) error {
	if a.Term.Interactive() {
		all, err := Collect(items)
		if err != nil {
			return err
		}
		return a.PrintJSON(all)
	}
	out := bufio.NewWriter(a.Term.Out)
	encoder := json.NewEncoder(out)
	encoder.SetEscapeHTML(false)
	before := "["
	for item, err := range items {
		if err != nil {
			return err
		}
		out.WriteString(before)
		if err := encoder.Encode(item); err != nil {
			return err
		}
		before = ","
	}
	if before == "[" {
		out.WriteString(before)
	}
	out.WriteString("]\n")
	return out.Flush()
}

// Lines writes records for programs, one on a line, with tabs between the cells.
func Lines[T any](t *terminal.Terminal, records iter.Seq2[T, error], cells func(T) []string) error {
	table := t.NewTable()
	for record, err := range records {
		if err == nil {
			err = table.Row(cells(record)...)
		}
		if err != nil {
			return err
		}
	}
	return table.Flush()
}

// IDs returns the identifiers of records for a table: short for a person, whole for a program.
func IDs[T any](t *terminal.Terminal, records []T, id func(T) string) []string {
	ids := make([]string, len(records))
	for i, r := range records {
		ids[i] = id(r)
	}
	if t.Interactive() {
		return ShortIDs(ids)
	}
	return ids
}

// ShortIDs returns the beginnings of identifiers: eight characters, or as many as
// make them different.
func ShortIDs(ids []string) []string {
	const usual = 8
	length := usual
	sorted := slices.Sorted(slices.Values(ids))
	for i := 1; i < len(sorted); i++ {
		a, b := sorted[i-1], sorted[i]
		same := 0
		for same < min(len(a), len(b)) && a[same] == b[same] {
			same++
		}
		if a != b {
			length = max(length, same+1)
		}
	}
	short := make([]string, len(ids))
	for i, id := range ids {
		short[i] = id[:min(length, len(id))]
	}
	return short
}

// Sequence returns the items of a slice as a sequence without errors.
func Sequence[T any](items []T) iter.Seq2[T, error] {
	return func(yield func(T, error) bool) {
		for _, item := range items {
			if !yield(item, nil) {
				return
			}
		}
	}
}

// Each calls do for each of the names. A failure does not stop the others; the exit
// code comes from the first failure. --json prints the records returned by do.
func Each[T any](ctx context.Context, a *App, c *client.Client, names []string, failure string, do func(name string) (T, error)) error {
	done := []T{}
	var first error
	for _, name := range names {
		record, err := do(name)
		if err == nil {
			done = append(done, record)
			continue
		}
		if ctx.Err() == nil {
			err = a.Explain(ctx, c, err)
		}
		if first == nil {
			first = err
		}
		if ctx.Err() != nil || len(names) == 1 {
			break
		}
		a.Env.PrintError(err)
	}
	if a.JSON {
		if err := a.PrintJSON(done); err != nil {
			return err
		}
	}
	if failed := len(names) - len(done); failed > 0 && len(names) > 1 && ctx.Err() == nil {
		return Fail(ExitCode(first), "%d of %d %s.", failed, len(names), failure)
	}
	return first
}
