package e2e

import (
	"slices"

	"example.org/library/internal/testkit"
)

// verify compares what the database says with what is in the mailboxes.
func (k *killing) verify(rounds int) {
	k.t.Helper()
	total, twice := 0, 0
	copies, ids := map[string]int{}, map[string]string{}
	for i, m := range k.mails.Received() {
		got, id := titlesIn(k.t, m.Data)
		if want := k.trueAt(i, m.To); !slices.Equal(got, want) {
			k.t.Errorf("mail %d to %s tells of %q, want %q", i, m.To, got, want)
		}
		if copies[m.To]++; copies[m.To] > 1 && ids[m.To] != id {
			k.t.Errorf("%s gets mails %s and %s", m.To, ids[m.To], id)
		}
		ids[m.To] = id
	}
	for to, r := range k.readers {
		total += len(r.books)
		least, most := 1, 1
		if len(k.trueAt(len(k.mails.Received()), to)) == 0 {
			least, most = 0, 0
		} else if k.mayTwice[to] {
			most = 2
		}
		if n := copies[to]; n < least || n > most {
			k.t.Errorf("%s has got %d mails, want %d to %d", to, n, least, most)
		} else if n == 2 {
			twice++
		}
	}
	for state, want := range map[string]int{"sent": total - len(k.returned), "dropped": len(k.returned)} {
		testkit.Equal(k.t, count(k.t, k.database, `SELECT count(*) FROM notices WHERE state = '`+state+`'`), want, state)
	}
	testkit.Equal(k.t, count(k.t, k.database, `SELECT count(*) FROM notices WHERE state = 'sent' AND sent_at IS NOT NULL AND mail_id IS NULL`), total-len(k.returned), "marked")
	testkit.Equal(k.t, count(k.t, k.database, `SELECT count(*) FROM mails`), 0, "open mails")
	k.t.Logf("%d kills, %d readers, %d notices, of which %d were not true any more: %d readers have got a mail twice", rounds, len(k.readers), total, len(k.returned), twice)
	if len(k.returned) == 0 || twice == 0 {
		k.t.Error("that proves nothing")
	}
}

// trueAt is what a mail to a reader may tell of after n mails.
func (k *killing) trueAt(n int, to string) (titles []string) {
	for title := range k.readers[to].books {
		if at, isBack := k.returned[title]; !isBack || n < at {
			titles = append(titles, title)
		}
	}
	slices.Sort(titles)
	return titles
}
