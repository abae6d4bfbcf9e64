package httpapi_test

import (
	"testing"
)

// An answer is kept as long as nothing changes in the store. A loan becomes overdue
// without that.
func TestACachedResponseDoesNotHideThatALoanIsOverdue(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ zone, due, overdue, nextMorning string }{
		{"UTC", "2026-03-30T23:59:59Z", "2026-03-30T23:59:59.000001Z", "2026-03-31T08:00:00Z"},
		{"Europe/Berlin", "2026-03-30T21:59:59Z", "2026-03-30T21:59:59.000001Z", "2026-03-31T08:00:00Z"},    // since the day before in summer time
		{"Asia/Kathmandu", "2026-03-30T18:14:59Z", "2026-03-30T18:14:59.5Z", "2026-03-31T08:00:00Z"},        // 5 hours 45 minutes before UTC
		{"Pacific/Chatham", "2026-03-30T10:14:59Z", "2026-03-30T10:14:59.000001Z", "2026-03-31T08:00:00Z"},  // 13 hours 45 minutes
		{"America/St_Johns", "2026-03-31T02:29:59Z", "2026-03-31T02:29:59.999999Z", "2026-03-31T12:00:00Z"}, // 2 hours 30 minutes after UTC
	} {
		t.Run(c.zone, func(t *testing.T) {
			t.Parallel()
			s := newStory(t, "sqlite")
			s.make(t, step{as: clarkKent, ask: "PUT /policy", body: `{"timeZone":"` + c.zone + `"}`, status: 200})
			s.make(t, step{as: bruceWayne, ask: "POST /books/{clean}/borrow", status: 200, want: facts{"loan.dueAt": c.due}})
			tags := map[string]string{}
			for _, st := range []struct {
				at      string
				overdue bool
			}{{"2026-03-30T08:00:00Z", false}, {c.due, false}, {c.due, false}, {c.overdue, true}, {c.overdue, true}, {c.nextMorning, true}} {
				s.clock.set(t, st.at)
				for path, member := range map[string]string{bookPath: "loan.overdue", "/books?q=clean": "0.loan.overdue"} {
					a := s.send(t, request{as: bruceWayne, path: path, header: field("If-None-Match", tags[path])})
					if a.status == 304 && st.overdue && tags[path+" is overdue"] == "" {
						t.Fatalf("at %s %s has not changed", st.at, path)
					}
					if a.status == 304 {
						continue
					}
					s.check(t, a.want(t, 200, ""), facts{member: st.overdue})
					tags[path] = a.tag()
					if st.overdue {
						tags[path+" is overdue"] = a.tag()
					}
					// Once more, from what is kept.
					s.check(t, s.send(t, request{as: bruceWayne, path: path}).want(t, 200, ""), facts{member: st.overdue})
				}
			}
		})
	}
}

// What is kept for one caller is not for others, whose loans and holds are others.
func TestTagsOfABookChangeWithLending(t *testing.T) {
	t.Parallel()
	for database := range databases {
		t.Run(database, func(t *testing.T) {
			t.Parallel()
			s := newStory(t, database)
			s.make(t, step{as: bruceWayne, ask: "POST /books/{clean}/borrow", status: 200, keep: "loan:loan.identifier"})
			for _, st := range []struct {
				step
				sees map[string]bool // whether it changes what somebody sees of the book
			}{
				{step{rule: "a renewal on another day", at: "2026-03-05T10:00:00Z", as: bruceWayne, ask: "POST /loans/{loan}/renew", status: 200},
					map[string]bool{bruceWayne: true, bruceBanner: true, peterParker: true}}, // when it comes back
				{step{rule: "no renewal on the same day", as: bruceWayne, ask: "POST /loans/{loan}/renew", status: 409, code: "too_early"},
					map[string]bool{bruceWayne: false, bruceBanner: false}},
				{step{rule: "a hold", as: bruceBanner, ask: "POST /books/{clean}/holds", status: 201, keep: "hold"},
					map[string]bool{bruceWayne: true, bruceBanner: true, peterParker: true}}, // how many wait
				{step{rule: "a copy more", as: peterParker, ask: "POST /books/{clean}/copies", body: `{}`, status: 201},
					map[string]bool{bruceWayne: true, bruceBanner: true, peterParker: true}},
				{step{rule: "a copy of another book", as: peterParker, ask: "POST /books/{patterns}/copies", body: `{}`, status: 201},
					map[string]bool{bruceWayne: false, bruceBanner: false, peterParker: false}},
				{step{rule: "a shelf", as: peterParker, ask: "GET /books/{clean}/copies", status: 200, keep: "copy:0.identifier"}, nil},
				{step{rule: "of a copy", as: peterParker, ask: "PUT /copies/{copy}", body: `{"shelf":"A"}`, status: 200},
					map[string]bool{bruceWayne: true, bruceBanner: true, peterParker: true}},
				{step{rule: "a note on a copy", as: peterParker, ask: "PUT /copies/{copy}", body: `{"shelf":"A","note":"torn"}`, status: 200},
					map[string]bool{bruceWayne: false, bruceBanner: false, peterParker: false}},
				{step{rule: "the hold is fetched", as: bruceBanner, ask: "POST /books/{clean}/borrow", status: 200},
					map[string]bool{bruceWayne: true, bruceBanner: true, peterParker: true}},
			} {
				t.Run(st.rule, func(t *testing.T) {
					tags := map[string]string{}
					for who := range st.sees {
						tags[who] = s.tagOf(t, who, bookPath)
					}
					s.make(t, st.step)
					for who, changed := range st.sees {
						want := 304
						if changed {
							want = 200
						}
						if got := s.ifNoneMatch(t, who, bookPath, tags[who]); got != want {
							t.Errorf("the tag of %s gives %d, want %d", who, got, want)
						}
					}
				})
			}
		})
	}
}
