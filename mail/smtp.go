package mail

import (
	"context"
	"crypto/tls"
	"errors"
	"net"
	"os"
	"strings"
	"time"
)

// smtpSession sends to a mail server, over one connection as long as it is good.
type smtpSession struct {
	carrier *Carrier
	conn    *dialogue // nil when there is none
	sent    int       // mails over that connection
}

func (s *smtpSession) Send(ctx context.Context, m Mail) error {
	if s.conn != nil && s.sent >= s.carrier.limits.messages {
		s.Close()
	}
	isReused := s.conn != nil
	err := s.try(ctx, m)
	// A server may end an idle connection, and the next command finds out.
	if failed := (*Error)(nil); isReused && s.conn == nil && errors.As(err, &failed) && failed.Stage == From && ctx.Err() == nil {
		err = s.try(ctx, m)
	}
	return err
}

func (s *smtpSession) try(ctx context.Context, m Mail) error {
	if err := ctx.Err(); err != nil {
		return &Error{Stage: Connect, Err: err}
	}
	if s.conn == nil {
		conn, err := s.carrier.dial(ctx)
		if err != nil {
			return err
		}
		s.conn, s.sent = conn, 0
	}
	conn := s.conn
	stop := context.AfterFunc(ctx, conn.interrupt)
	err := conn.deliver(m)
	isGood := err == nil || ctx.Err() == nil && conn.reset(err)
	if !stop() { // the connection is of no more use
		conn.end()
		s.conn = nil
		return cancelled(ctx, err)
	}
	s.sent++
	if !isGood {
		conn.end()
		s.conn = nil
	}
	return err
}

// cancelled makes the end of the context the cause of a failure without an answer. A mail delivered just before stays
// delivered.
func cancelled(ctx context.Context, err error) error {
	if failed := (*Error)(nil); errors.As(err, &failed) && failed.Code == 0 {
		failed.Err, failed.Final = context.Cause(ctx), false
	}
	return err
}

func (s *smtpSession) Close() {
	if s.conn != nil {
		s.conn.quit(s.carrier.limits.quit)
		s.conn = nil
	}
}

// dial connects, agrees on TLS and signs in.
func (c *Carrier) dial(ctx context.Context) (*dialogue, error) {
	connecting, cancel := context.WithTimeout(ctx, c.limits.connect)
	defer cancel()
	conn, err := (&net.Dialer{}).DialContext(connecting, "tcp", net.JoinHostPort(c.host, c.port))
	if err != nil {
		return nil, &Error{Stage: Connect, Err: err}
	}
	d := newDialogue(conn, c.limits.command)
	stop := context.AfterFunc(ctx, d.end)
	deadline, _ := connecting.Deadline()
	if err := c.begin(d, deadline); err != nil {
		d.end()
		if !stop() {
			err = cancelled(ctx, err)
		}
		return nil, err
	}
	if !stop() {
		return nil, &Error{Stage: Connect, Err: context.Cause(ctx)}
	}
	return d, nil
}

// begin prepares a connection for the first mail. The deadline is for the greeting, and for TLS if it comes first.
func (c *Carrier) begin(d *dialogue, deadline time.Time) error {
	_ = d.raw.SetDeadline(deadline) // fails with a closed connection, as the next command does
	if c.tls == tlsAtOnce {
		if err := d.secure(&tls.Config{ServerName: c.host, RootCAs: c.roots}); err != nil {
			return &Error{Stage: TLS, Err: err}
		}
	}
	if err := d.greeting(); err != nil {
		return err
	}
	if err := d.hello(); err != nil {
		return err
	}
	if err := c.startTLS(d); err != nil {
		return err
	}
	return c.authenticate(d)
}

var (
	errNoTLS  = errors.New("the mail server does not offer STARTTLS")
	errNoAuth = errors.New("the mail server offers no authentication with a user and a password")
)

func (c *Carrier) startTLS(d *dialogue) error {
	_, offered := d.extensions["STARTTLS"]
	switch {
	case c.tls == tlsAtOnce, c.tls == tlsOff, c.tls == tlsIfOffered && !offered:
		return nil
	case !offered:
		return &Error{Stage: TLS, Err: errNoTLS}
	}
	if _, err := d.command(TLS, 220, "STARTTLS"); err != nil {
		return err
	}
	// Data staying on this machine needs no proof of the server's identity, and servers there have certificates nobody
	// has signed.
	if err := d.secure(&tls.Config{ServerName: c.host, RootCAs: c.roots, InsecureSkipVerify: c.tls == tlsIfOffered}); err != nil {
		return &Error{Stage: TLS, Err: err}
	}
	return d.hello() // the answers before TLS are not to be trusted
}

func (c *Carrier) authenticate(d *dialogue) error {
	if c.user == "" {
		return nil
	}
	mechanisms := strings.Fields(strings.ToUpper(d.extensions["AUTH"]))
	for _, mechanism := range mechanisms {
		if mechanism == "PLAIN" {
			_, err := d.command(Auth, 235, "AUTH PLAIN "+base64Of("\x00"+c.user+"\x00"+c.password))
			return err
		}
	}
	for _, mechanism := range mechanisms {
		if mechanism == "LOGIN" {
			return c.login(d)
		}
	}
	return &Error{Stage: Auth, Err: errNoAuth}
}

func (c *Carrier) login(d *dialogue) error {
	for _, step := range []struct {
		line     string
		expected int
	}{{"AUTH LOGIN", 334}, {base64Of(c.user), 334}, {base64Of(c.password), 235}} {
		if _, err := d.command(Auth, step.expected, step.line); err != nil {
			return err
		}
	}
	return nil
}

// ownName returns the name to introduce this machine with: a name others may know, or else its address.
func ownName(local net.Addr) string {
	name, err := os.Hostname()
	if err == nil && strings.Contains(name, ".") && isASCII(name) && !strings.ContainsFunc(name, func(r rune) bool { return r <= ' ' }) {
		return name
	}
	tcp, is := local.(*net.TCPAddr)
	switch {
	case !is:
		return "localhost"
	case tcp.IP.To4() != nil:
		return "[" + tcp.IP.To4().String() + "]"
	}
	return "[IPv6:" + tcp.IP.String() + "]"
}
