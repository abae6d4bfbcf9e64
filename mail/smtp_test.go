package mail

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	netmail "net/mail"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"example.org/library/internal/testkit"
	"example.org/library/internal/testmail"
)

func aMail() Mail {
	return Mail{
		ID: "1@library.example.org", Date: time.Date(2026, 11, 17, 8, 0, 0, 0, time.UTC),
		From: netmail.Address{Name: "Public Library", Address: "library@example.org"}, To: netmail.Address{Name: "Anna", Address: "anna@example.org"},
		Subject: "Due on Friday: Homo faber", Text: "Homo faber\n.\nis due", HTML: "<p>Homo faber</p>",
	}
}

// carrierOf parses an address, with limits that a test can wait for.
func carrierOf(t *testing.T, address string) *Carrier {
	t.Helper()
	c, err := Parse(address)
	if err != nil {
		t.Fatal(err)
	}
	c.limits.connect, c.limits.command, c.limits.quit = time.Minute, time.Minute, 50*time.Millisecond
	return c
}

func sendTo(t *testing.T, c *Carrier, m Mail) error {
	t.Helper()
	s := c.Open()
	defer s.Close()
	return s.Send(t.Context(), m)
}

func failureOf(t *testing.T, err error) *Error {
	t.Helper()
	failed := (*Error)(nil)
	if !errors.As(err, &failed) {
		t.Fatalf("got %v, want an *Error", err)
	}
	return failed
}

func TestAMailReachesTheServerAsItIs(t *testing.T) {
	t.Parallel()
	server := testmail.Start(t, testmail.Config{UTF8: true})
	if err := sendTo(t, carrierOf(t, "smtp://"+server.Addr), aMail()); err != nil {
		t.Fatal(err)
	}
	got := server.Received()
	if len(got) != 1 || got[0].From != "library@example.org" || got[0].To != "anna@example.org" || got[0].UTF8 {
		t.Fatalf("got %+v", got)
	}
	if want := aMail().Bytes(); !bytes.Equal(got[0].Data, want) {
		t.Errorf("got\n%q, want\n%q", got[0].Data, want)
	}
}

func TestARefusalHasItsStageAndNumberAndNoWords(t *testing.T) {
	t.Parallel()
	for _, stage := range []Stage{From, To, Data} {
		for _, code := range []int{421, 451, 550, 552} {
			t.Run(fmt.Sprint(stage, code), func(t *testing.T) {
				t.Parallel()
				var refused atomic.Bool
				server := testmail.Start(t, testmail.Config{Step: func(at, _ string) error {
					if at == string(stage) && refused.CompareAndSwap(false, true) {
						return testmail.Refuse(code)
					}
					return nil
				}})
				s := carrierOf(t, "smtp://"+server.Addr).Open()
				defer s.Close()
				err := s.Send(t.Context(), aMail())
				got := failureOf(t, err)
				if want := (Error{Stage: stage, Code: code, Final: code >= 500 && stage != From}); *got != want {
					t.Errorf("got %+v, want %+v", *got, want)
				}
				if strings.Contains(err.Error(), "welcome") {
					t.Errorf("%q repeats the server's words", err)
				}
				if err := s.Send(t.Context(), aMail()); err != nil {
					t.Errorf("the next mail: %v", err)
				}
				if n := server.Connections(); (n > 1) != (code == 421) {
					t.Errorf("%d connections after %d", n, code)
				}
			})
		}
	}
}

// script is a server that says what the test wants it to: for each line that it gets, by its first word. A missing answer
// is none, and "" ends the connection. Before a line is answered, each function in hears is called with its first word.
func script(t *testing.T, greeting string, answers map[string]string, hears ...func(verb string)) string {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = listener.Close() })
	go func() {
		for {
			conn, err := listener.Accept()
			if err != nil {
				return
			}
			go func() {
				defer conn.Close()
				_, _ = io.WriteString(conn, greeting)
				d := newDialogue(conn, time.Minute)
				for {
					line, err := d.in.ReadString('\n')
					if err != nil {
						return
					}
					verb, _, _ := strings.Cut(strings.TrimSpace(line), " ")
					for _, hear := range hears {
						hear(verb)
					}
					answer, known := answers[verb]
					if verb == "RSET" && !known {
						answer = "250 ok\r\n"
					}
					if known && answer == "" {
						return
					}
					_, _ = io.WriteString(conn, answer)
				}
			}()
		}
	}()
	return listener.Addr().String()
}

const hello = "250-here\r\n250 SIZE 1000\r\n"

func TestAServerThatFailsIsNotTheFailureOfAMail(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		address, greeting string
		answers           map[string]string
		want              Error
	}{
		"greeting refused":      {"smtp://", "554 no\r\n", nil, Error{Stage: Connect, Code: 554}},
		"greeting is not SMTP":  {"smtp://", "HTTP/1.1 400 Bad Request\r\n", nil, Error{Stage: Connect}},
		"greeting without end":  {"smtp://", "220 " + strings.Repeat("a", maxReplyLine), nil, Error{Stage: Connect}},
		"lines without end":     {"smtp://", strings.Repeat("220-a\r\n", maxReplyLines+1), nil, Error{Stage: Connect}},
		"EHLO refused":          {"smtp://", "220 hi\r\n", map[string]string{"EHLO": "550 no\r\n"}, Error{Stage: Connect, Code: 550}},
		"EHLO dropped":          {"smtp://", "220 hi\r\n", map[string]string{"EHLO": ""}, Error{Stage: Connect}},
		"STARTTLS refused":      {"smtp://", "220 hi\r\n", map[string]string{"EHLO": "250-here\r\n250 STARTTLS\r\n", "STARTTLS": "454 no\r\n"}, Error{Stage: TLS, Code: 454}},
		"words before TLS":      {"smtp://", "220 hi\r\n", map[string]string{"EHLO": "250-here\r\n250 STARTTLS\r\n", "STARTTLS": "220 go\r\n250 evil\r\n"}, Error{Stage: TLS}},
		"not TLS":               {"smtps://", "220 hi\r\n", nil, Error{Stage: TLS}},
		"no authentication":     {"smtp://anna@", "220 hi\r\n", map[string]string{"EHLO": hello}, Error{Stage: Auth}},
		"password refused":      {"smtp://anna@", "220 hi\r\n", map[string]string{"EHLO": "250-here\r\n250 AUTH PLAIN\r\n", "AUTH": "535 no\r\n"}, Error{Stage: Auth, Code: 535}},
		"MAIL dropped":          {"smtp://", "220 hi\r\n", map[string]string{"EHLO": hello, "MAIL": ""}, Error{Stage: From}},
		"MAIL refused for good": {"smtp://", "220 hi\r\n", map[string]string{"EHLO": hello, "MAIL": "550 no\r\n"}, Error{Stage: From, Code: 550}},
		"RCPT dropped":          {"smtp://", "220 hi\r\n", map[string]string{"EHLO": hello, "MAIL": "250 ok\r\n", "RCPT": ""}, Error{Stage: To}},
		"DATA dropped":          {"smtp://", "220 hi\r\n", map[string]string{"EHLO": hello, "MAIL": "250 ok\r\n", "RCPT": "250 ok\r\n", "DATA": ""}, Error{Stage: Data}},
		"dropped after the mail": {"smtp://", "220 hi\r\n", map[string]string{"EHLO": hello, "MAIL": "250 ok\r\n", "RCPT": "250 ok\r\n", "DATA": "354 go\r\n", ".": ""},
			Error{Stage: Data, Seen: true}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got := *failureOf(t, sendTo(t, carrierOf(t, c.address+script(t, c.greeting, c.answers)), aMail()))
			if got.Code == 0 && got.Err == nil {
				t.Error("nothing says what happened")
			}
			if got.Err = nil; got != c.want {
				t.Errorf("got %+v, want %+v", got, c.want)
			}
		})
	}
}

func TestNobodyThereIsAFailureToConnect(t *testing.T) {
	t.Parallel()
	if got := failureOf(t, sendTo(t, carrierOf(t, "smtp://"+testkit.NobodyListens), aMail())); got.Stage != Connect || got.Code != 0 || got.Final {
		t.Errorf("got %+v", got)
	}
}

func TestAServerOfLongAgoTakesMails(t *testing.T) {
	t.Parallel()
	addr := script(t, "220 hi\r\n", map[string]string{"EHLO": "502 what\r\n", "HELO": "250 here\r\n", "MAIL": "250 ok\r\n", "RCPT": "250 ok\r\n", "DATA": "354 go\r\n", ".": "250 ok\r\n", "QUIT": ""})
	if err := sendTo(t, carrierOf(t, "smtp://"+addr), aMail()); err != nil {
		t.Error(err)
	}
}

func TestAServerThatStallsHoldsNobodyForLongerThanTheLimit(t *testing.T) {
	t.Parallel()
	answers := map[string]string{"EHLO": hello, "MAIL": "250 ok\r\n", "RCPT": "250 ok\r\n", "DATA": "354 go\r\n", ".": "250 ok\r\n"}
	for stalled, stage := range map[string]Stage{"": Connect, "EHLO": Connect, "MAIL": From, "RCPT": To, "DATA": Data, ".": Data} {
		t.Run("at "+stalled, func(t *testing.T) {
			t.Parallel()
			greeting, some := "220 hi\r\n", map[string]string{}
			if stalled == "" {
				greeting = "220-slow"
			}
			for verb, answer := range answers {
				if verb != stalled {
					some[verb] = answer
				}
			}
			c := carrierOf(t, "smtp://"+script(t, greeting, some))
			c.limits.connect, c.limits.command, c.limits.quit = 2*time.Second, 2*time.Second, time.Millisecond // long enough for the steps before the one that stalls
			got := failureOf(t, sendTo(t, c, aMail()))
			timeout := (net.Error)(nil)
			if !errors.As(got, &timeout) || !timeout.Timeout() || got.Stage != stage || got.Final || got.Seen != (stalled == ".") {
				t.Errorf("got %+v", *got)
			}
		})
	}
}

func TestUsualLimitsAreThoseOfTheContract(t *testing.T) {
	t.Parallel()
	c, err := Parse("smtp://mail.example.org")
	if err != nil || c.limits.connect != 30*time.Second || c.limits.command != time.Minute || c.limits.messages != 100 {
		t.Errorf("got %+v, %v", c, err)
	}
}

func TestTheEndOfTheContextEndsASend(t *testing.T) {
	t.Parallel()
	for _, silent := range []string{"", "EHLO", "RCPT", "."} {
		t.Run("at "+silent, func(t *testing.T) {
			t.Parallel()
			reached := make(chan struct{})
			greeting, answers := "220 hi\r\n", map[string]string{"EHLO": hello, "MAIL": "250 ok\r\n", "RCPT": "250 ok\r\n", "DATA": "354 go\r\n"}
			if silent == "" {
				greeting = ""
			}
			delete(answers, silent)
			s := carrierOf(t, "smtp://"+script(t, greeting, answers)).Open()
			ctx, cancel := context.WithCancel(t.Context())
			time.AfterFunc(50*time.Millisecond, func() { cancel(); close(reached) })
			if err := s.Send(ctx, aMail()); !errors.Is(err, context.Canceled) {
				t.Errorf("got %v", err)
			}
			<-reached
			if err := s.Send(ctx, aMail()); !errors.Is(err, context.Canceled) {
				t.Errorf("after the end: %v", err)
			}
			s.Close()
		})
	}
}

func TestTheEndOfTheContextEndsTheWaitAfterARefusal(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	refused := func(verb string) {
		if verb == "RSET" {
			cancel()
		}
	}
	s := carrierOf(t, "smtp://"+script(t, "220 hi\r\n", map[string]string{
		"EHLO": hello, "MAIL": "250 ok\r\n", "RCPT": "451 later\r\n", "RSET": "250-half an answer\r\n"}, refused)).Open()
	defer s.Close()
	ended := make(chan error, 1)
	go func() { ended <- s.Send(ctx, aMail()) }()
	select {
	case err := <-ended:
		if got := failureOf(t, err); got.Stage != To || got.Code != 451 {
			t.Errorf("got %+v", *got)
		}
	case <-time.After(20 * time.Second): // a command may last a minute
		t.Fatal("it waits for the server")
	}
}
