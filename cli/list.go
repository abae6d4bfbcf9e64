package cli

import (
	"bufio"
	"encoding/json"
	"fmt"
	"iter"
	"slices"
	"strconv"

	"github.com/spf13/cobra"

	"example.org/library/client"
)

// usualLimit is how many records a person sees who does not ask for more.
const usualLimit = 30

// limitFlag adds --limit to a command that lists.
func limitFlag(cmd *cobra.Command, into *int) {
	cmd.Flags().IntVarP(into, "limit", "L", -1, "show at most this many, 0 for all (default 30 at a terminal, all in a pipe)")
	cmd.Flags().Lookup("limit").DefValue = "0" // the usage says it better
}

// checkLimit is the problem with a --limit.
func checkLimit(cmd *cobra.Command, limit int) (problems Problems) {
	if cmd.Flags().Changed("limit") && limit < 0 {
		problems.Add("--limit", fmt.Sprintf("is %d; it must be a number of records, or 0 for all", limit))
	}
	return problems
}

// limitOf is the limit that a --limit means; 0 is none.
func (a *app) limitOf(flag int) int {
	switch {
	case flag >= 0:
		return flag
	case a.term.Interactive():
		return usualLimit
	}
	return 0
}

// listed is how much of a list was read.
type listed struct{ shown, total int }

// counted is the records of pages; how many there are is in read, when it is at
// the end.
func counted[T any](read *listed, pages iter.Seq2[client.Page[T], error]) iter.Seq2[T, error] {
	return client.Items(func(yield func(client.Page[T], error) bool) {
		for p, err := range pages {
			read.shown += len(p.Items)
			read.total = p.Total
			if !yield(p, err) {
				return
			}
		}
	})
}

// sayRest tells a person that there is more than is shown.
func (a *app) sayRest(read listed, nouns string) {
	if read.shown < read.total {
		a.say("Showing %s of %s %s; --limit 0 shows all.", thousands(read.shown), thousands(read.total), nouns)
	}
}

// thousands writes a number as people read it: 1,234,567.
func thousands(n int) string {
	digits := strconv.Itoa(n)
	for at := len(digits) - 3; at > 0; at -= 3 {
		digits = digits[:at] + "," + digits[at:]
	}
	return digits
}

// collect reads a sequence to its end.
func collect[T any](items iter.Seq2[T, error]) ([]T, error) {
	all := []T{}
	for item, err := range items {
		if err != nil {
			return nil, err
		}
		all = append(all, item)
	}
	return all, nil
}

// printArray writes records as a JSON array. In a pipe each is written as it
// comes, so that a list of any length needs no memory.
func printArray[T any](a *app, items iter.Seq2[T, error]) error {
	if a.term.Interactive() {
		all, err := collect(items)
		if err != nil {
			return err
		}
		return a.printJSON(all)
	}
	out := bufio.NewWriter(a.term.Out)
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

// shortIDs are the beginnings of identifiers: eight characters, or as many as
// tell them apart.
func shortIDs(ids []string) []string {
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
