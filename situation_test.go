package library

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// situation is a book as a line of text, so that the rules below can be read:
// its copies, separated by commas, and after a semicolon those who wait.
//
//	free                     a copy on the shelf
//	lent jane                a copy that Jane has
//	aside jane               a copy that is set aside for Jane
//	aside jane late          which she has not fetched in time
//	aside jane fetched       which staff have taken from its shelf
//	lent jane claimed        a copy that Jane says to have brought back
//	lost, damaged, reference, missing
//	                         a copy that is no longer lent; "lost lent jane": she still has it
//
// Jane has asked before Jim, and Jim before Kate.
func situation(t *testing.T, text string, p Policy, reader string) Circulation {
	t.Helper()
	c := Circulation{Book: emma, Policy: p, Reader: Reader{Person: person(reader)}}
	copies, queue, _ := strings.Cut(text, ";")
	for i, words := range strings.Split(copies, ",") {
		if strings.TrimSpace(words) != "none" {
			c.Copies = append(c.Copies, parseCopy(t, i, strings.Fields(words)))
		}
	}
	for i, name := range strings.Fields(queue) {
		c.Queue = append(c.Queue, Hold{ID: "hold of " + name, Book: emma.ref(), Holder: person(name), State: Waiting, Seq: asked(name), Position: i + 1, Created: monday})
	}
	return c
}

func parseCopy(t *testing.T, i int, words []string) Copy {
	t.Helper()
	c := Copy{ID: fmt.Sprint("copy ", i+1), BookID: emma.ID, CopyFields: CopyFields{State: Lendable}, Version: "1"}
	for i := 0; i < len(words); i++ {
		switch word := words[i]; word {
		case "free":
		case "lost", "damaged", "reference", "missing":
			c.State = CopyState(word)
		case "lent":
			i++
			c.Loan = &Loan{ID: "loan of " + words[i], Book: emma.ref(), CopyID: c.ID, Borrower: person(words[i]),
				Since: monday.AddDate(0, 0, -7), Due: monday.AddDate(0, 0, 21)}
		case "aside":
			i++
			c.Hold = &Hold{ID: "hold of " + words[i], Book: emma.ref(), Holder: person(words[i]), State: Ready, Seq: asked(words[i]),
				CopyID: c.ID, Until: monday.AddDate(0, 0, 4), Created: monday}
		case "fetched":
			c.Hold.Fetched = monday.Add(-time.Hour)
		case "claimed":
			c.Loan.Claimed = monday.Add(-time.Hour)
		case "late":
			c.Hold.Until = monday.Add(-time.Second)
		default:
			t.Fatalf("unknown word %q", word)
		}
	}
	return c
}

// asked is the order in which people ask: by their names.
func asked(name string) int64 { return int64(slices.Index([]string{"jane", "jim", "kate"}, name)) + 1 }

func person(name string) Person { return Person{ID: name, FirstName: name} }

// say is the opposite of situation.
func say(c Circulation) string {
	var copies, queue []string
	for _, copy := range c.Copies {
		var words []string
		if copy.State != Lendable {
			words = append(words, string(copy.State))
		}
		if copy.Loan != nil {
			words = append(words, "lent "+copy.Loan.Borrower.ID)
			if copy.Loan.IsClaimed() {
				words = append(words, "claimed")
			}
		}
		if copy.Hold != nil {
			words = append(words, "aside "+copy.Hold.Holder.ID)
			if !copy.Hold.Fetched.IsZero() {
				words = append(words, "fetched")
			}
		}
		if len(words) == 0 {
			words = []string{"free"}
		}
		copies = append(copies, strings.Join(words, " "))
	}
	if len(copies) == 0 {
		copies = []string{"none"}
	}
	for _, h := range c.Queue {
		queue = append(queue, h.Holder.ID)
	}
	text := strings.Join(copies, ", ")
	if len(queue) > 0 {
		text += "; " + strings.Join(queue, " ")
	}
	return text
}

// apply writes a decision record by record, as a store does.
func (c Circulation) apply(d Decision) Circulation {
	c.Copies, c.Queue = slices.Clone(c.Copies), slices.Clone(c.Queue)
	at := func(id string) *Copy {
		return &c.Copies[slices.IndexFunc(c.Copies, func(c Copy) bool { return c.ID == id })]
	}
	for _, h := range slices.Concat(d.Moved, d.Fetched) {
		for i := range c.Copies {
			if held := c.Copies[i].Hold; held != nil && held.ID == h.ID {
				c.Copies[i].Hold = nil
			}
		}
		c.Queue = slices.DeleteFunc(c.Queue, func(waiting Hold) bool { return waiting.ID == h.ID })
	}
	for _, l := range d.Changed {
		for i := range c.Copies {
			if lent := c.Copies[i].Loan; lent != nil && lent.ID == l.ID {
				c.Copies[i].Loan = nil
			}
		}
	}
	for _, l := range d.Changed {
		if l.Open() {
			at(l.CopyID).Loan = &l
		}
	}
	for _, id := range d.RemovedCopies {
		c.Copies = slices.DeleteFunc(c.Copies, func(c Copy) bool { return c.ID == id })
	}
	for _, copy := range d.AddedCopies {
		copy.Loan, copy.Hold = nil, nil
		c.Copies = append(c.Copies, copy)
	}
	for _, copy := range d.EditedCopies {
		at(copy.ID).CopyFields = copy.CopyFields
	}
	for _, l := range slices.Concat(d.Opened, d.Reopened) {
		at(l.CopyID).Loan = &l
	}
	for _, h := range slices.Concat(d.Moved, d.Fetched, d.Placed) {
		switch h.State {
		case Ready:
			at(h.CopyID).Hold = &h
		case Waiting:
			c.Queue = append(c.Queue, h)
		}
	}
	slices.SortStableFunc(c.Queue, func(a, b Hold) int {
		if a.Seq == 0 || b.Seq == 0 {
			return 0 // placed just now: at the end
		}
		return a.compare(b)
	})
	return c
}

// wantDecision asks a rule in a situation and compares its decision: the situation afterwards, which is the same as
// before if after is empty, the event and the stock. It returns the decision.
func wantDecision(t *testing.T, before, reader string, ask Rule, after string, event ChangeKind, wantErr error) Decision {
	t.Helper()
	given, untouched := situation(t, before, DefaultPolicy(), reader), situation(t, before, DefaultPolicy(), reader)
	d, err := ask(given, monday)
	if !errors.Is(err, wantErr) {
		t.Fatalf("error %v, want %v", err, wantErr)
	}
	if diff := cmp.Diff(untouched, given); diff != "" {
		t.Errorf("what the rule was given has changed\n%s", diff)
	}
	if err != nil {
		return d
	}
	if after == "" {
		after = before
	}
	then := given.apply(d)
	if got := say(then); got != after || d.Happened != event {
		t.Errorf("after it: %s, event %q\n    want: %s, event %q", got, d.Happened, after, event)
	}
	if diff := cmp.Diff(then.Stock(), d.Stock); diff != "" {
		t.Errorf("stock (-counted +decided)\n%s", diff)
	}
	return d
}
