package httpapi_test

import (
	"bytes"
	"mime"
	"net/http"
	netmail "net/mail"
	"strconv"
	"strings"
	"testing"
	"time"

	"example.org/library"
	"example.org/library/api"
	"example.org/library/internal/testkit"
	"example.org/library/internal/testmail"
	"example.org/library/mail"
	"example.org/library/notice"
)

// mailing lets a world send mails to a server.
func mailing(t *testing.T, server *testmail.Server, change func(*notice.Sender)) func(*setup) {
	t.Helper()
	carrier, err := mail.Parse("smtp://" + server.Addr)
	testkit.NoError(t, err)
	sender := &notice.Sender{Carrier: carrier, From: "library@example.org", Library: "Bücherei am Fluss", PublicURL: "https://library.example.org"}
	if change != nil {
		change(sender)
	}
	return func(s *setup) { s.mails = sender }
}

const testMailPath = "/notices/test"

func (w *world) testMail(t *testing.T, as string) reply {
	t.Helper()
	return w.send(t, request{as: as, method: "POST", path: testMailPath, header: http.Header{"Idempotency-Key": {"once"}}})
}

func TestAnAdminGetsATestMail(t *testing.T) {
	t.Parallel()
	server := testmail.Start(t, testmail.Config{})
	w := newWorld(t, mailing(t, server, nil))
	w.testMail(t, clarkKent).want(t, 204, "")
	w.testMail(t, clarkKent).want(t, 204, "") // with the same key: it is sent again
	got := server.Received()
	if len(got) != 2 || got[0].To != clarkKent || got[0].From != "library@example.org" {
		t.Fatalf("got %+v", got)
	}
	m, err := netmail.ReadMessage(bytes.NewReader(got[0].Data))
	testkit.NoError(t, err)
	subject, err := new(mime.WordDecoder).DecodeHeader(m.Header.Get("Subject"))
	testkit.NoError(t, err)
	testkit.Equal(t, subject, "Test e-mail from Bücherei am Fluss")
	testkit.Equal(t, m.Header.Get("Auto-Submitted"), "auto-generated")
	testkit.Equal(t, m.Header.Get("List-Unsubscribe"), "<https://library.example.org/account>")
	if id := m.Header.Get("Message-Id"); !strings.HasSuffix(id, "@example.org>") || !strings.HasSuffix(m.Header.Get("List-Id"), "<notices.example.org>") {
		t.Errorf("Message-ID is %s, List-Id is %s", id, m.Header.Get("List-Id"))
	}
	for _, who := range []string{bruceWayne, peterParker} {
		w.testMail(t, who).want(t, 403, "role_missing")
	}
	testkit.Equal(t, len(server.Received()), 2)
}

func TestEveryMailGoesToOneAddressWhereThatIsSet(t *testing.T) {
	t.Parallel()
	server := testmail.Start(t, testmail.Config{})
	w := newWorld(t, mailing(t, server, func(s *notice.Sender) { s.To, s.PublicURL = "tester@example.org", "" }))
	w.testMail(t, clarkKent).want(t, 204, "")
	testkit.Equal(t, decode[api.Outbox](t, w.send(t, request{as: clarkKent, method: "GET", path: "/notices/outbox"}).want(t, 200, "")), api.Outbox{To: "tester@example.org"})
	got := server.Received()[0]
	if got.To != "tester@example.org" || !bytes.Contains(got.Data, []byte("meant for "+clarkKent)) || bytes.Contains(got.Data, []byte("List-Unsubscribe")) {
		t.Errorf("got %s\n%s", got.To, got.Data)
	}
}

func TestATestMailThatArrivesEndsTheProblemOfTheCaller(t *testing.T) {
	t.Parallel()
	server := testmail.Start(t, testmail.Config{})
	problem := &library.MailProblem{Code: 550, Since: time.Now()}
	for diverted, want := range map[bool]string{false: "no", true: "550"} {
		w := newWorld(t, mailing(t, server, nil), func(s *setup) { s.mail = &library.MailSettings{From: "library@example.org", Diverted: diverted} })
		ctx := testkit.Context(t)
		kent, _, err := w.store.UserByEmail(ctx, clarkKent)
		testkit.NoError(t, err)
		testkit.NoError(t, w.store.Tx(ctx, func(tx library.Tx) error { return tx.SetMailProblem(ctx, kent, problem) }))
		w.testMail(t, clarkKent).want(t, 204, "")
		problems, err := w.store.MailProblems(ctx, []string{kent.ID})
		testkit.NoError(t, err)
		got := "no"
		if p, has := problems[kent.ID]; has {
			got = strconv.Itoa(p.Code)
		}
		testkit.Equal(t, got, want)
	}
}

func TestATestMailDelaysTheStopOfNoServer(t *testing.T) {
	t.Parallel()
	var w *world
	server := testmail.Start(t, testmail.Config{Step: func(at, _ string) error {
		if at == "rcpt" {
			w.api().EndStreams() // as the server does when it is stopped
			<-t.Context().Done()
		}
		return nil
	}})
	w = newWorld(t, mailing(t, server, nil))
	w.testMail(t, clarkKent).want(t, 502, "mail_failed")
}

func TestWhereNoMailsAreSentThereIsNoTestMail(t *testing.T) {
	t.Parallel()
	newWorld(t).testMail(t, clarkKent).want(t, 409, "mail_off")
}

func TestATestMailThatFailsSaysWhereAndNothingElse(t *testing.T) {
	t.Parallel()
	for stage, code := range map[string]int{"mail": 451, "rcpt": 550, "data": 554} {
		server := testmail.Start(t, testmail.Config{Step: func(at, _ string) error {
			if at == stage {
				return testmail.Refuse(code)
			}
			return nil
		}})
		w := newWorld(t, mailing(t, server, nil))
		a := w.testMail(t, clarkKent).want(t, 502, "mail_failed")
		if bytes.Contains(a.body, []byte("welcome")) || strings.Contains(w.log.String(), "welcome") {
			t.Errorf("the server's words: %s\n%s", a.body, w.log.String())
		}
		failed := decode[api.Error](t, a)
		if len(failed.Details) != 1 || failed.Details[0].Field != "smtp" || string(failed.Details[0].Code) != stage || failed.Details[0].Message != map[string]string{"mail": "451", "rcpt": "550", "data": "554"}[stage] {
			t.Errorf("got %+v", failed.Details)
		}
	}
	server := testmail.Start(t, testmail.Config{})
	server.Stop()
	failed := decode[api.Error](t, newWorld(t, mailing(t, server, nil)).testMail(t, clarkKent).want(t, 502, "mail_failed"))
	testkit.Equal(t, string(failed.Details[0].Code), "connect")
}

func TestPreviewsAreOfEveryKindInEveryLanguage(t *testing.T) {
	t.Parallel()
	w := newWorld(t, func(s *setup) { s.name = "Bücherei am Fluss" })
	w.send(t, request{as: clarkKent, method: "PUT", path: "/policy", body: `{"mailNote":{"de":"Geöffnet ab 10 Uhr.\nTelefon 0731 1234"}}`}).want(t, 200, "")
	preview := func(query string) api.MailPreview {
		return decode[api.MailPreview](t, w.send(t, request{as: clarkKent, method: "GET", path: "/notices/preview" + query}).want(t, 200, ""))
	}
	for kind, want := range map[string][2]string{
		"overdue":      {"Overdue: Homo faber and 1 more", "Überfällig: Homo faber und 1 weiteres"},
		"hold_ready":   {"Ready for you: Homo faber and 1 more", "Abholbereit: Homo faber und 1 weiteres"},
		"hold_expired": {"Reservation expired: Homo faber and 1 more", "Vormerkung abgelaufen: Homo faber und 1 weiteres"},
	} {
		for i, locale := range []string{"en", "de"} {
			got := preview("?kind=" + kind + "&locale=" + locale)
			if got.Subject != want[i] || !strings.Contains(got.Text, "Bücherei am Fluss") || !strings.Contains(got.HTML, "Bücherei am Fluss") {
				t.Errorf("got %+v", got)
			}
			if has := strings.Contains(got.Text, "Geöffnet ab 10 Uhr.\nTelefon 0731 1234"); has != (locale == "de") {
				t.Errorf("%s: the library's own words are there: %v\n%s", locale, has, got.Text)
			}
		}
	}
	if got := preview("?kind=due_soon").Subject; !strings.HasPrefix(got, "Due on ") {
		t.Errorf("got %s", got)
	}
	w.send(t, request{as: clarkKent, method: "PUT", path: "/me", body: `{"locale":"de"}`}).want(t, 200, "")
	if got := preview("?kind=due_soon").Subject; !strings.HasPrefix(got, "Fällig am ") {
		t.Errorf("not in the language of the caller: %s", got)
	}
}

func TestPreviewsWantAKindThatThereIs(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	for _, query := range []string{"", "?kind=", "?kind=other", "?locale=de", "?kind=overdue&locale=fr", "?kind=overdue&kind=overdue", "?kind=overdue&book=1"} {
		w.send(t, request{as: clarkKent, method: "GET", path: "/notices/preview" + query}).want(t, 400, "bad_query")
	}
	w.send(t, request{as: peterParker, method: "GET", path: "/notices/preview?kind=overdue"}).want(t, 403, "role_missing")
}
