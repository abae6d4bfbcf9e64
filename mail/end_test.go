package mail

import (
	"context"
	"errors"
	"strings"
	"testing"

	"example.org/library/internal/testmail"
)

// good are the answers of a server that takes a mail.
func good() map[string]string {
	return map[string]string{"EHLO": "250 here\r\n", "MAIL": "250 ok\r\n", "RCPT": "250 ok\r\n", "DATA": "354 go\r\n", ".": "250 ok\r\n", "QUIT": "", "RSET": "250 ok\r\n"}
}

func TestAnyAnswerThatBeginsLikeTheUsualOneIsGood(t *testing.T) {
	t.Parallel()
	for command, answer := range map[string]string{"MAIL": "251 ok\r\n", "RCPT": "252 perhaps\r\n", "DATA": "350 go\r\n", ".": "200 queued\r\n"} {
		answers := good()
		answers[command] = answer
		if err := sendTo(t, carrierOf(t, "smtp://"+script(t, "220 hi\r\n", answers)), aMail()); err != nil {
			t.Errorf("%s answered with %s: %v", command, strings.TrimSpace(answer), err)
		}
	}
}

func TestNoServerGetsTheEndOfAMailBeforeTheSenderIsReady(t *testing.T) {
	t.Parallel()
	server := testmail.Start(t, testmail.Config{})
	folder := t.TempDir()
	for _, address := range []string{"smtp://" + server.Addr, "maildir:" + folder} {
		m, reason := aMail(), errors.New("another has it")
		m.Before = func() error { return reason }
		s := carrierOf(t, address).Open()
		if got := failureOf(t, s.Send(t.Context(), m)); got.Stage != Data || got.Seen || got.Final || !errors.Is(got, reason) {
			t.Errorf("got %+v", got)
		}
		asked := 0
		m.Before = func() error { asked++; return nil }
		if err := s.Send(t.Context(), m); err != nil || asked != 1 {
			t.Errorf("the next one: %v, asked %d times", err, asked)
		}
		s.Close()
	}
	if got := len(server.Received()); got != 1 {
		t.Errorf("the server has %d mails, want one", got)
	}
}

func TestAServerThatHasAMailMaySaySoAfterTheSenderIsStopped(t *testing.T) {
	t.Parallel()
	ctx, stop := context.WithCancel(t.Context())
	server := testmail.Start(t, testmail.Config{Step: func(at, _ string) error {
		if at == "data" {
			stop()
		}
		return nil
	}})
	s := carrierOf(t, "smtp://"+server.Addr).Open()
	defer s.Close()
	if err := s.Send(ctx, aMail()); err != nil {
		t.Errorf("the server has taken it: %v", err)
	}
}

func TestAnAddressIsNeverMadeIntoAnotherOne(t *testing.T) {
	t.Parallel()
	server := testmail.Start(t, testmail.Config{})
	s := carrierOf(t, "smtp://"+server.Addr).Open()
	defer s.Close()
	for _, address := range []string{"o<hara@example.org", "o>hara@example.org", "o hara@example.org", "o\r\nhara@example.org"} {
		m := aMail()
		m.To.Address = address
		if got := failureOf(t, s.Send(t.Context(), m)); got.Stage != To || !got.Final || got.Code != 0 || !errors.Is(got, ErrNoAddress) {
			t.Errorf("%q: %+v", address, got)
		}
	}
	if err := s.Send(t.Context(), aMail()); err != nil || server.Connections() != 1 || len(server.Received()) != 1 {
		t.Errorf("the next one: %v, %d connections, %d mails", err, server.Connections(), len(server.Received()))
	}
}
