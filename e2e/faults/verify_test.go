package faults

import (
	"cmp"
	"fmt"
	"math"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/anishathalye/porcupine"

	"example.org/library/internal/testkit"
	"example.org/library/storetest/linearizability"
)

// history is all answers to the readers of a library.
type history struct {
	library *library
	answers []answer
}

// isUnheard reports whether nobody can know if a step happened.
func (a answer) isUnheard() bool {
	return a.Act != "look" && a.sent && (a.status == 0 || a.code == "outcome_unknown" || a.isOfProxy())
}

// isOfProxy reports whether somebody else than the program has answered.
func (a answer) isOfProxy() bool { return a.status >= 500 && a.code == "" }

// isDone reports whether the step was taken.
func (a answer) isDone() bool { return a.status == http.StatusOK }

// isUnavailable reports whether the program said that it does not work now.
func (a answer) isUnavailable() bool { return a.status == http.StatusServiceUnavailable }

// isFailed reports whether there was no answer, or none of the program's.
func (a answer) isFailed() bool { return a.status == 0 || a.isOfProxy() }

// verify ends the search for what must never be: it wants that some order explains
// every answer, that the database has all that was answered with success, and no
// more than was asked for, that no answer was a 500 and that each 503 says when to
// come back. The servers must be well again.
func (h history) verify(t testing.TB) {
	t.Helper()
	h.library.awaitAllReady(t)
	for _, p := range slices.Concat(h.badAnswers(), h.unwritten(h.library.loans(t)), h.disorder(t)) {
		t.Error(p)
	}
}

// problems are sentences about what must never be.
type problems []string

func (p *problems) add(format string, args ...any) { *p = append(*p, fmt.Sprintf(format, args...)) }

// badAnswers are those that no fault of a database is a reason for.
func (h history) badAnswers() (found problems) {
	for _, a := range h.answers {
		switch {
		case a.status == 0, a.isDone(), a.isOfProxy():
		case a.isUnavailable():
			if a.retryAfter == "" || !slices.Contains([]string{"unavailable", "overloaded", "outcome_unknown"}, a.code) {
				found.add("%s: 503 with code %q and Retry-After %q", a.Act, a.code, a.retryAfter)
			}
		case a.status == http.StatusConflict, a.status == http.StatusForbidden && a.code == "not_your_loan":
		default:
			found.add("%s after %v: %d %s", a.Act, a.called, a.status, a.code)
		}
		if a.isDone() && a.Act == "borrow" && (a.who != a.Reader || a.loan == "") {
			found.add("borrow was answered with a book of %q and loan %q", a.who, a.loan)
		}
	}
	return found
}

// loan is a record of the database.
type loan struct {
	book, user string
	isOpen     bool
}

// unwritten compares the loans in the database with the answers.
func (h history) unwritten(written map[string]loan) (found problems) {
	answered, unheard := map[string]bool{}, 0
	type place struct{ reader, book string }
	type known struct {
		loan  string
		since time.Duration
	}
	has := map[place]known{} // what the reader knows to have
	slices.SortStableFunc(h.answers, func(a, b answer) int { return cmp.Compare(a.called+a.took, b.called+b.took) })
	for _, a := range h.answers {
		at := place{a.Reader, a.Book}
		switch {
		case a.isUnheard() && a.Act == "borrow":
			unheard++
			fallthrough
		case a.isUnheard():
			delete(has, at)
		case a.isDone() && a.Act == "borrow":
			answered[a.loan], has[at] = true, known{a.loan, a.called + a.took}
			if l, ok := written[a.loan]; !ok || l.book != a.Book || l.user != a.Reader {
				found.add("lost: loan %s was answered with success; the database has %+v", a.loan, l)
			}
		case a.isDone() && a.Act == "return":
			if k := has[at]; a.called >= k.since && written[k.loan].isOpen {
				found.add("lost: the return of loan %s was answered with success; in the database it is open", k.loan)
			}
			delete(has, at)
		}
	}
	more, open := 0, map[string]int{}
	for id, l := range written {
		if l.isOpen {
			open[l.book]++
		}
		if !answered[id] {
			more++
		}
	}
	if more > unheard {
		found.add("%d loans in the database are in no answer, but only %d answers were lost", more, unheard)
	}
	for book, n := range open {
		if n > 1 {
			found.add("book %s is with %d readers", book, n)
		}
	}
	return found
}

// loans are those of the readers, open or not, by identifier.
func (l *library) loans(t testing.TB) map[string]loan {
	t.Helper()
	rows, err := l.sql(t).Query(`SELECT id, book_id, user_id, returned_at IS NULL FROM loans`)
	testkit.NoError(t, err)
	defer rows.Close()
	found := map[string]loan{}
	for rows.Next() {
		var id string
		var one loan
		testkit.NoError(t, rows.Scan(&id, &one.book, &one.user, &one.isOpen))
		found[id] = one
	}
	testkit.NoError(t, rows.Err())
	return found
}

// disorder looks for an order of all steps that explains the answers, and what
// every process says of every book when all is over.
func (h history) disorder(t testing.TB) (found problems) {
	t.Helper()
	var end time.Duration
	var ops []porcupine.Operation
	for _, a := range h.answers {
		end = max(end, a.called+a.took)
		op := porcupine.Operation{ClientId: a.reader, Input: a.Step, Call: int64(a.called), Return: int64(a.called + a.took)}
		switch {
		case a.isUnheard():
			op.Output, op.Return = linearizability.Unheard, math.MaxInt64
		case a.isDone():
			op.Output = a.who
		case a.status >= 400 && a.status < 500:
			op.Output = a.code
		default:
			continue // it did not happen
		}
		ops = append(ops, op)
	}
	client := &http.Client{Timeout: clientTimeout}
	defer client.CloseIdleConnections()
	for _, s := range h.library.servers {
		c := &crowd{library: h.library, at: func(int) string { return s.addr }, began: time.Now()}
		for _, book := range h.library.books {
			a := c.ask(client, 0, linearizability.Step{Act: "look", Book: book, Reader: h.library.readers[0].id})
			if !a.isDone() {
				t.Fatalf("when all is over: %d %s %v", a.status, a.code, a.failure)
			}
			ops = append(ops, porcupine.Operation{Input: a.Step, Output: a.who, Call: int64(end), Return: int64(end + time.Second)})
		}
	}
	if result := porcupine.CheckOperationsTimeout(linearizability.LendingModel, ops, time.Minute); result != porcupine.Ok {
		found.add("no order of %d steps explains every answer: %v", len(ops), result)
	}
	return found
}

// only is the answers that a test asks about.
func (h history) only(which func(answer) bool) history {
	var some []answer
	for _, a := range h.answers {
		if which(a) {
			some = append(some, a)
		}
	}
	return history{h.library, some}
}

// within is the answers to steps that began in a time.
func (h history) within(from, to time.Duration) history {
	return h.only(func(a answer) bool { return a.called >= from && a.called < to })
}

// about is the answers about some books.
func (h history) about(books ...string) history {
	return h.only(func(a answer) bool { return slices.Contains(books, a.Book) })
}

// slowest is the longest time that an answer took.
func (h history) slowest() time.Duration { return h.quantile(1) }

// quantile is the time within which that part of the answers came.
func (h history) quantile(q float64) time.Duration {
	if len(h.answers) == 0 {
		return 0
	}
	var all []time.Duration
	for _, a := range h.answers {
		all = append(all, a.took)
	}
	slices.Sort(all)
	return all[min(len(all)-1, int(q*float64(len(all))))]
}

// tally counts answers in the words of the figures.
func (h history) tally() map[string]int {
	n := map[string]int{}
	for _, a := range h.answers {
		switch {
		case a.isDone():
			n["done"]++
		case a.isUnavailable() && a.code != "":
			n[a.code]++
		case a.isOfProxy():
			n[fmt.Sprint("proxy ", a.status)]++
		case a.status != 0:
			n["refused"]++
		case a.sent:
			n["cut off"]++
		default:
			n["no connection"]++
		}
	}
	return n
}

// figures prints what happened in one line, for docs/reliability.md.
func (h history) figures(t testing.TB, what string) {
	t.Helper()
	n := h.tally()
	var words []string
	for _, word := range slices.Sorted(func(yield func(string) bool) {
		for word := range n {
			if !yield(word) {
				return
			}
		}
	}) {
		words = append(words, fmt.Sprintf("%s %d", word, n[word]))
	}
	t.Logf("%-40s %6d answers: %s; p50 %v, p99 %v, slowest %v", what, len(h.answers), strings.Join(words, ", "),
		h.quantile(0.5).Round(100*time.Microsecond), h.quantile(0.99).Round(time.Millisecond), h.slowest().Round(time.Millisecond))
}
