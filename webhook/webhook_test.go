package webhook_test

import (
	"context"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"example.org/library"
	"example.org/library/internal/testkit"
	"example.org/library/webhook"
)

func types(posts []post) (all []string) {
	for _, p := range posts {
		all = append(all, p.Type)
	}
	return all
}

func ids(posts []post) (all []string) {
	for _, p := range posts {
		all = append(all, p.ID)
	}
	return all
}

func TestEachOfTheTenTypesIsPostedInOrderWithItsBook(t *testing.T) {
	onBoth(t, func(t *testing.T, w *world) {
		w.addSettled(t, "Before there was a hook")
		to := receive(t, nil)
		w.start(t, false, to)
		ctx := t.Context()
		other, err := w.service.AddUser(ctx, w.actor, "", library.UserFields{Email: "other@example.com", FirstName: "Ot", LastName: "Her", Roles: []library.Role{library.RoleUser}})
		testkit.NoError(t, err)
		waiting := library.Actor{User: other, Authorities: w.actor.Authorities}
		b := w.addBook(t, "Homo faber")
		testkit.NoError(t, testkit.Err(w.service.EditBook(ctx, w.actor, b.ID, library.BookFields{Title: "Homo faber!"}, nil)))
		lent, err := w.service.Borrow(ctx, w.actor, b.ID)
		testkit.NoError(t, err)
		w.clock.Advance(48 * time.Hour)
		testkit.NoError(t, testkit.Err(w.service.Renew(ctx, w.actor, lent.Loan.ID)))
		h, err := w.service.PlaceHold(ctx, waiting, b.ID, "")
		testkit.NoError(t, err)
		to.await(t, 5) // a change is in the history a moment later on a server with other users; a date is due at once
		w.clock.Advance(40 * 24 * time.Hour)
		overdue := to.await(t, 6)[5]
		testkit.NoError(t, testkit.Err(w.service.Return(ctx, w.actor, b.ID)))
		testkit.NoError(t, w.service.CancelHold(ctx, waiting, h.ID))
		testkit.NoError(t, w.service.DeleteBook(ctx, w.actor, b.ID, nil))
		got := to.await(t, 10)
		testkit.Diff(t, []string{"book.added", "book.edited", "loan.created", "loan.renewed", "hold.created", "loan.overdue",
			"loan.returned", "hold.ready", "hold.ended", "book.deleted"}, types(got))
		testkit.Equal(t, overdue.Data.Loan.Identifier, lent.Loan.ID)
		testkit.Equal(t, got[7].Data.Hold.Identifier, h.ID)
		for i, p := range got {
			if p.Data.Book.Identifier != b.ID || i > 1 && p.Data.Book.Title != "Homo faber!" {
				t.Errorf("%s is about %+v", p.Type, p.Data.Book)
			}
			if p.Data.User != nil || strings.Contains(string(p.Body), "Frisch") || strings.Contains(string(p.Body), w.actor.User.ID) {
				t.Errorf("%s names a person: %s", p.Type, p.Body)
			}
		}
	})
}

// addSettled adds a book, and waits until the history has it: on a server with other users that may take a moment.
func (w *world) addSettled(t *testing.T, title string) {
	t.Helper()
	before, err := w.service.LastChange(t.Context())
	testkit.NoError(t, err)
	w.addBook(t, title)
	testkit.Eventually(t, "the change is in the history", func() bool {
		now, err := w.service.LastChange(context.Background())
		return err == nil && now != before
	})
}

func TestAnEventIsPostedAgainWithTheSameIDAndNothingOvertakesIt(t *testing.T) {
	onBoth(t, func(t *testing.T, w *world) {
		const failures = 3
		to := receive(t, func(n int, wr http.ResponseWriter, r *http.Request) {
			switch {
			case n == 1: // and not when the connection is used again: then another is made at once
				panic(http.ErrAbortHandler)
			case n == 2:
				http.Redirect(wr, r, "/elsewhere", http.StatusFound)
			case n <= failures:
				wr.WriteHeader(http.StatusInternalServerError)
			}
			if r.URL.Path != "/hook" || r.URL.RawQuery != "token=t0ken" {
				t.Errorf("asked for %s", r.URL)
			}
		})
		w.start(t, false, to)
		w.addBook(t, "First")
		for n := 1; n <= failures; n++ {
			to.await(t, n)
			w.addBook(t, fmt.Sprint("Later ", n))
			w.skipPause(t, n)
		}
		got := to.await(t, failures+4)
		want := append(slices.Repeat([]string{"First"}, failures+1), "Later 1", "Later 2", "Later 3")
		var titles []string
		for _, p := range got {
			titles = append(titles, p.Data.Book.Title)
		}
		testkit.Diff(t, want, titles)
		all := ids(got)
		if len(slices.Compact(slices.Clone(all[:failures+1]))) != 1 || len(slices.Compact(slices.Clone(all))) != 4 {
			t.Errorf("the ids are %v", all)
		}
		log := w.log.String()
		if strings.Contains(log, "t0ken") || strings.Contains(log, "MfKQ") || strings.Count(log, "a web hook fails") != 1 || !strings.Contains(log, "works again") {
			t.Errorf("the log says %s", log)
		}
	})
}

// skipPause waits until an attempt has failed, and lets its pause pass. The worker looks at the clock
// when it would have waited, so the hook is told to be due.
func (w *world) skipPause(t *testing.T, attempts int) {
	t.Helper()
	testkit.Eventually(t, "the attempt has failed", func() bool {
		hooks, err := w.hooks.All(context.Background())
		return err == nil && len(hooks) == 1 && hooks[0].Attempts == attempts
	})
	w.clock.Advance(webhook.Pause(attempts))
}

func TestWhatGoesWrongIsTriedAgainAndAStopDoesNotWaitForAReceiver(t *testing.T) {
	w := onSQLite(t)
	hanging := make(chan struct{})
	defer close(hanging)
	hangs := receive(t, func(int, http.ResponseWriter, *http.Request) { <-hanging })
	good := receive(t, func(_ int, wr http.ResponseWriter, _ *http.Request) {
		for range 1000 { // an answer that is too long does not matter
			wr.Write(make([]byte, 64<<10))
		}
	})
	stop := w.start(t, false, hangs, good)
	w.addBook(t, "One")
	hangs.await(t, 1)
	for i := range 5 {
		w.addBook(t, fmt.Sprint(i))
	}
	good.await(t, 6) // nobody waits for another
	w.addBook(t, "Two")
	began := time.Now()
	stop()
	if took := time.Since(began); took > testkit.Bound(time.Second) {
		t.Errorf("stopping took %v", took)
	}
}

func TestAReceiverThatIsGoneGetsNothingUntilTheNextStart(t *testing.T) {
	onBoth(t, func(t *testing.T, w *world) {
		to := receive(t, func(n int, wr http.ResponseWriter, _ *http.Request) {
			if n == 2 {
				wr.WriteHeader(http.StatusGone)
			}
		})
		stop := w.start(t, false, to)
		w.addBook(t, "One")
		to.await(t, 1)
		w.addBook(t, "Two")
		to.await(t, 2)
		testkit.Eventually(t, "it is off", func() bool { return strings.Contains(w.log.String(), "410") })
		w.addBook(t, "Three")
		w.clock.Advance(time.Hour)
		time.Sleep(100 * time.Millisecond)
		stop()
		testkit.Equal(t, len(to.all()), 2)
		w.start(t, false, to)
		got := to.await(t, 4)
		testkit.Equal(t, got[2].ID, got[1].ID)
		testkit.Equal(t, got[3].Data.Book.Title, "Three")
	})
}

func TestAfterARestartAHookGoesOnAndANewOneBeginsWithNow(t *testing.T) {
	onBoth(t, func(t *testing.T, w *world) {
		old, fresh := receive(t, nil), receive(t, nil)
		stop := w.start(t, false, old)
		w.addBook(t, "One")
		old.await(t, 1)
		stop()
		w.addSettled(t, "Meanwhile")
		w.start(t, false, old, fresh)
		w.addBook(t, "Now")
		testkit.Eventually(t, "the hook goes on", func() bool {
			got := old.events()
			return len(got) == 3 && got[1].Data.Book.Title == "Meanwhile"
		})
		testkit.Equal(t, fresh.await(t, 1)[0].Data.Book.Title, "Now")
	})
}

func TestThreeProcessesPostEachEventOnceAndInOrder(t *testing.T) {
	onBoth(t, func(t *testing.T, w *world) {
		to := receive(t, nil)
		var stops []func()
		for range 3 {
			stops = append(stops, w.startOn(t, webhook.New(w.open(t), time.Now), false, to))
		}
		const events = 30
		var want []string
		for i := range events {
			want = append(want, w.addBook(t, fmt.Sprint("Book ", i)).Title)
			if i%10 == 9 {
				to.awaitEvents(t, i+1)
				stops[i/10]() // whoever it is: another goes on
				if i/10 == 1 {
					w.startOn(t, webhook.New(w.open(t), time.Now), false, to)
				}
			}
		}
		var got []string
		for _, p := range to.awaitEvents(t, events) {
			got = append(got, p.Data.Book.Title)
		}
		testkit.Diff(t, want, got)
	})
}

func TestProcessesWithDifferentHooksTakeTurns(t *testing.T) {
	onBoth(t, func(t *testing.T, w *world) {
		one, two := receive(t, nil), receive(t, nil)
		w.startOn(t, webhook.New(w.open(t), time.Now), false, one)
		w.startOn(t, webhook.New(w.open(t), time.Now), false, two)
		for i := range 3 {
			w.addBook(t, fmt.Sprint(i))
			one.await(t, i+1)
			two.await(t, i+1)
		}
	})
}

func TestPeopleAreNamedOnlyIfAskedForAndNotWhenForgotten(t *testing.T) {
	onBoth(t, func(t *testing.T, w *world) {
		to := receive(t, func(n int, wr http.ResponseWriter, _ *http.Request) {
			if n == 3 {
				wr.WriteHeader(http.StatusServiceUnavailable)
			}
		})
		w.start(t, true, to)
		ctx := t.Context()
		b := w.addBook(t, "Homo faber")
		testkit.NoError(t, testkit.Err(w.service.Borrow(ctx, w.actor, b.ID)))
		got := to.await(t, 2)
		if u := got[1].Data.User; got[0].Data.User != nil || u == nil || u.Identifier != w.actor.User.ID || u.FirstName != "Max" || u.LastName != "Frisch" {
			t.Fatalf("%s and %s", got[0].Body, got[1].Body)
		}
		testkit.NoError(t, testkit.Err(w.service.Return(ctx, w.actor, b.ID)))
		if p := to.await(t, 3)[2]; p.Data.User == nil {
			t.Errorf("nobody in %s", p.Body)
		}
		testkit.NoError(t, w.service.ForgetHistory(ctx, w.actor))
		w.skipPause(t, 1)
		if p := to.await(t, 4)[3]; p.Type != "loan.returned" || p.Data.User != nil || strings.Contains(string(p.Body), "Frisch") {
			t.Errorf("a forgotten person is in %s", p.Body)
		}
	})
}
