package library

import (
	"strings"
	"testing"
	"time"

	"example.org/library/internal/testkit"
)

func TestEachCopyGoesToTheNextWhoMayTakeIt(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		rule    string
		before  string // of Emma; Persuasion has two free copies
		copies  string // numbers of Emma's copies, or p1 and p2
		readers string
		several bool
		loans   string
		skipped string
		left    string
	}{
		{"one after the other", "free, free", "1 2", "jane jim", false, "jane:1 jim:2", "", ""},
		{"in the order of the request", "free, free", "2 1", "jane jim", false, "jane:2 jim:1", "", ""},
		{"who comes after the last copy is not mentioned", "free", "1", "jane jim-blocked", false, "jane:1", "", ""},
		{"copies after the last person are left", "free, free, free", "1 3 2", "jane", false, "jane:1", "", "3 2"},
		{"who has the book is skipped", "lent jane, free", "2", "jane jim", false, "jim:2", "jane:has_it", ""},
		{"who has it is told so first", "lent jane, free", "2", "jane-blocked", false, "", "jane:has_it", "2"},
		{"who is blocked is told so before anything of the record", "free", "1", "jane-blocked-inactive", false, "", "jane:blocked", "1"},
		{"who is inactive before any limit", "free", "1", "jane-inactive-full", false, "", "jane:inactive", "1"},
		{"who has too many before what is late", "free", "1", "jane-full-late jim", false, "jim:1", "jane:loan_limit", ""},
		{"who is late is skipped", "free", "1", "jane-late jim", false, "jim:1", "jane:has_overdue", ""},
		{"of different books each gets one", "free", "1 p1", "jane jim", false, "jane:1 jim:p1", "", ""},
		{"who cannot take the copy at hand is skipped for all", "lent jane, free", "2 p1", "jane jim", false, "jim:2", "jane:has_it", "p1"},
		{"one person gets several", "lent jane, free, free", "2 3", "jane", true, "jane:2 jane:3", "", ""},
		{"up to the limit", "free, free, free, free", "1 2 3 4", "jane", true, "jane:1 jane:2 jane:3", "jane:loan_limit", "4"},
		{"a ready hold is fulfilled by another copy", "aside jane, free", "2", "jane", false, "jane:2", "", ""},
		{"a missing copy in the hand is found", "missing", "1", "jane", false, "jane:1", "", ""},
	} {
		t.Run(c.rule, func(t *testing.T) {
			t.Parallel()
			p := Policy{LoanDays: 28, HoldDays: 4, MaxLoans: 3, BlockOverdue: true}
			other := situation(t, "free, free", p, "")
			other.Book.ID = "persuasion"
			for i := range other.Copies {
				other.Copies[i].ID, other.Copies[i].BookID = strings.Replace(other.Copies[i].ID, "copy ", "copy p", 1), "persuasion"
			}
			b := Batch{List: "copies", Several: c.several, Books: map[string]Circulation{"emma": situation(t, c.before, p, ""), "persuasion": other}}
			for _, n := range strings.Fields(c.copies) {
				one := Copy{ID: "copy " + n, BookID: "emma"}
				if strings.HasPrefix(n, "p") {
					one.BookID = "persuasion"
				}
				b.Copies = append(b.Copies, one)
			}
			for _, words := range strings.Fields(c.readers) {
				b.Readers = append(b.Readers, parseReader(words))
			}
			lent, err := b.Lend(monday)
			testkit.NoError(t, err)
			var loans, skipped, left []string
			for _, l := range lent.Loans {
				loans = append(loans, l.Borrower.ID+":"+strings.TrimPrefix(l.CopyID, "copy "))
			}
			for _, s := range lent.Skipped {
				skipped = append(skipped, s.Person.ID+":"+s.Why.Code)
			}
			for _, one := range lent.Left {
				left = append(left, strings.TrimPrefix(one.ID, "copy "))
			}
			if got, want := strings.Join(loans, " ")+"; "+strings.Join(skipped, " ")+"; "+strings.Join(left, " "), c.loans+"; "+c.skipped+"; "+c.left; got != want {
				t.Errorf("got %s, want %s", got, want)
			}
			opened := 0
			for _, d := range lent.Decisions {
				opened += len(d.Opened)
			}
			if opened != len(lent.Loans) {
				t.Errorf("%d loans are saved, want %d", opened, len(lent.Loans))
			}
		})
	}
}

// parseReader is a reader as a word: the name, and what is the matter.
func parseReader(words string) Reader {
	name, matters, _ := strings.Cut(words, "-")
	r := Reader{Person: person(name)}
	for matter := range strings.SplitSeq(matters, "-") {
		switch matter {
		case "blocked":
			r.Block = "fees"
		case "inactive":
			r.Inactive = true
		case "full":
			r.Loans = 3
		case "late":
			r.Overdue = 1
		}
	}
	return r
}

func TestADueDayByHandMovesToAnOpenDay(t *testing.T) {
	t.Parallel()
	c := situation(t, "free", Policy{LoanDays: 1, ClosedWeekdays: []time.Weekday{time.Saturday}}, "")
	b := Batch{Books: map[string]Circulation{"emma": c}, Copies: []Copy{{ID: "copy 1", BookID: "emma"}}, Readers: []Reader{parseReader("jane")}, Due: Date{Year: 2026, Month: 11, Day: 21}}
	lent, err := b.Lend(monday)
	testkit.NoError(t, err)
	if got, want := lent.Loans[0].Due, (Date{Year: 2026, Month: 11, Day: 22}).End(time.UTC); !got.Equal(want) || !lent.Loans[0].DueGiven {
		t.Errorf("due %v, given by hand %v, want %v and true", got, lent.Loans[0].DueGiven, want)
	}
}
