package mail

import (
	"errors"
	"net"
	"testing"

	"example.org/library/internal/testmail"
)

func TestSeveralMailsGoOverOneConnection(t *testing.T) {
	t.Parallel()
	server := testmail.Start(t, testmail.Config{})
	c := carrierOf(t, "smtp://"+server.Addr)
	c.limits.messages = 3
	s := c.Open()
	defer s.Close()
	for range 7 {
		if err := s.Send(t.Context(), aMail()); err != nil {
			t.Fatal(err)
		}
	}
	if got := len(server.Received()); got != 7 || server.Connections() != 3 {
		t.Errorf("%d mails over %d connections", got, server.Connections())
	}
}

func TestAConnectionThatTheServerEndedIsMadeAgain(t *testing.T) {
	t.Parallel()
	server := testmail.Start(t, testmail.Config{})
	s := carrierOf(t, "smtp://"+server.Addr).Open()
	defer s.Close()
	if err := s.Send(t.Context(), aMail()); err != nil {
		t.Fatal(err)
	}
	server.Stop()
	listener, err := net.Listen("tcp", server.Addr)
	if err != nil {
		t.Fatal(err)
	}
	server.Serve(listener)
	if err := s.Send(t.Context(), aMail()); err != nil {
		t.Fatal(err)
	}
	if got := len(server.Received()); got != 2 {
		t.Errorf("%d mails", got)
	}
}

func TestTLSIsRequiredWhereTheServerIsNotThisMachine(t *testing.T) {
	t.Parallel()
	trusted, pool := testmail.Certificate(t)
	offers := testmail.Start(t, testmail.Config{TLS: trusted, User: "anna", Password: "secret"})
	atOnce := testmail.Start(t, testmail.Config{TLS: trusted, TLSAtOnce: true, User: "anna", Password: "secret"})
	plain := testmail.Start(t, testmail.Config{User: "anna", Password: "secret"})
	for name, c := range map[string]struct {
		address string
		mode    *tlsMode // instead of that of the address, which is of this machine
		trusts  bool
		want    Stage
	}{
		"offered and trusted":          {address: "smtp://anna@" + offers.Addr, mode: new(tlsRequired), trusts: true},
		"offered and not trusted":      {address: "smtp://anna@" + offers.Addr, mode: new(tlsRequired), want: TLS},
		"not offered":                  {address: "smtp://anna@" + plain.Addr, mode: new(tlsRequired), trusts: true, want: TLS},
		"on this machine":              {address: "smtp://anna@" + offers.Addr},
		"on this machine, not offered": {address: "smtp://anna@" + plain.Addr},
		"off":                          {address: "smtp://anna@" + offers.Addr + "?tls=off"},
		"at once":                      {address: "smtps://anna@" + atOnce.Addr, trusts: true},
		"at once and not trusted":      {address: "smtps://anna@" + atOnce.Addr, want: TLS},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			carrier := carrierOf(t, c.address)
			if err := carrier.SetPassword("secret"); err != nil {
				t.Fatal(err)
			}
			if c.mode != nil {
				carrier.tls = *c.mode
			}
			if c.trusts {
				carrier.roots = pool
			}
			err := sendTo(t, carrier, aMail())
			if c.want == "" && err != nil || c.want != "" && failureOf(t, err).Stage != c.want {
				t.Errorf("got %v, want %q", err, c.want)
			}
		})
	}
}

func TestTheServerLearnsWhoSends(t *testing.T) {
	t.Parallel()
	server := testmail.Start(t, testmail.Config{User: "anna@example.org", Password: "pässword"})
	c := carrierOf(t, "smtp://anna@example.org@"+server.Addr)
	if got := failureOf(t, sendTo(t, c, aMail())); got.Stage != Auth || got.Code/100 != 5 || got.Final {
		t.Errorf("without a password: %+v", got)
	}
	if err := c.SetPassword("pässword"); err != nil {
		t.Fatal(err)
	}
	if err := sendTo(t, c, aMail()); err != nil {
		t.Error(err)
	}
	addr := script(t, "220 hi\r\n", map[string]string{"EHLO": "250-here\r\n250 AUTH CRAM-MD5 LOGIN\r\n", "AUTH": "334 VXNlcm5hbWU6\r\n",
		base64Of("anna"): "334 UGFzc3dvcmQ6\r\n", base64Of("pw"): "235 in\r\n", "MAIL": "250 ok\r\n", "RCPT": "250 ok\r\n", "DATA": "354 go\r\n", ".": "250 ok\r\n", "QUIT": ""})
	c = carrierOf(t, "smtp://anna@"+addr)
	_ = c.SetPassword("pw")
	if err := sendTo(t, c, aMail()); err != nil {
		t.Errorf("with LOGIN: %v", err)
	}
}

func TestAnAddressThatNeedsSMTPUTF8IsSentWithItOrFailsForGood(t *testing.T) {
	t.Parallel()
	m := aMail()
	m.To.Address = "jörg@example.org"
	with, without := testmail.Start(t, testmail.Config{UTF8: true}), testmail.Start(t, testmail.Config{})
	if err := sendTo(t, carrierOf(t, "smtp://"+with.Addr), m); err != nil {
		t.Fatal(err)
	}
	if got := with.Received()[0]; !got.UTF8 || got.To != "jörg@example.org" {
		t.Errorf("got %+v", got)
	}
	s := carrierOf(t, "smtp://"+without.Addr).Open()
	defer s.Close()
	got := failureOf(t, s.Send(t.Context(), m))
	if got.Stage != To || !got.Final || got.Code != 0 || !errors.Is(got, ErrNeedsSMTPUTF8) {
		t.Errorf("got %+v", got)
	}
	if err := s.Send(t.Context(), aMail()); err != nil || without.Connections() != 1 {
		t.Errorf("the next one: %v, %d connections", err, without.Connections())
	}
	m.From.Address, m.To.Address = "bücherei@example.org", "anna@example.org"
	if got := failureOf(t, sendTo(t, carrierOf(t, "smtp://"+without.Addr), m)); got.Stage != From || got.Final {
		t.Errorf("a sender is not the failure of a mail: %+v", got)
	}
}
