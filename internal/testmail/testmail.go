// Package testmail is a mail server for tests, made of go-smtp: it keeps what it gets, and refuses, stalls or demands
// what a test tells it to.
package testmail

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"errors"
	"fmt"
	"io"
	"log"
	"math/big"
	"net"
	"sync"
	"testing"
	"time"

	"github.com/emersion/go-sasl"
	"github.com/emersion/go-smtp"
)

// Config says how a server behaves. The zero value takes every mail.
type Config struct {
	TLS            *tls.Config // offers STARTTLS, or with TLSAtOnce speaks it from the first word on
	TLSAtOnce      bool
	User, Password string // demands them
	UTF8           bool   // takes addresses that are not ASCII
	// Step is called at each stage with the recipient, where it is known: "connect" before the greeting, "mail", "rcpt",
	// "text" when the text begins, "data" when it is complete, "answered" when that has been answered. What it returns is
	// the answer (see [Refuse] and [ErrDrop]; the text is read in any case); it may also wait.
	Step func(stage, to string) error
}

// ErrDrop ends the connection instead of an answer. At "data" the mail has come nevertheless.
var ErrDrop = errors.New("the connection is dropped")

// Refuse is an answer with a number.
func Refuse(code int) error {
	return &smtp.SMTPError{Code: code, EnhancedCode: smtp.NoEnhancedCode, Message: "somebody@example.org is not welcome"}
}

// Message is a mail that came.
type Message struct {
	From, To   string
	UTF8       bool // was asked for
	Data       []byte
	Connection int // counted from 1
}

// Server is a mail server on loopback.
type Server struct {
	Addr   string
	config Config

	mu          sync.Mutex
	connections int
	received    []Message
	server      *smtp.Server
	listener    net.Listener
}

// Start starts a server, which ends with the test.
func Start(t testing.TB, config Config) *Server {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	s := &Server{Addr: listener.Addr().String(), config: config}
	s.Serve(listener)
	t.Cleanup(s.Stop)
	return s
}

// Serve begins to serve, also again at another listener after Stop.
func (s *Server) Serve(listener net.Listener) {
	server := smtp.NewServer(smtp.BackendFunc(s.newSession))
	server.Domain, server.AllowInsecureAuth, server.EnableSMTPUTF8 = "mail.example.org", true, s.config.UTF8
	server.ErrorLog = log.New(io.Discard, "", 0)
	if s.config.TLSAtOnce {
		listener = tls.NewListener(listener, s.config.TLS)
	} else {
		server.TLSConfig = s.config.TLS
	}
	s.server, s.listener = server, listener
	go func() { _ = server.Serve(stepListener{listener, s}) }()
}

// stepListener accepts connections in which stages are seen that go-smtp does not tell of.
type stepListener struct {
	net.Listener
	server *Server
}

func (l stepListener) Accept() (net.Conn, error) {
	conn, err := l.Listener.Accept()
	if err != nil {
		return nil, err
	}
	return &stepConn{Conn: conn, server: l.server}, nil
}

// stepConn is used by one goroutine at a time.
type stepConn struct {
	net.Conn
	server   *Server
	greeted  bool
	accepted string // whose mail the next answer is about
}

func (c *stepConn) Write(p []byte) (int, error) {
	if !c.greeted {
		c.greeted = true
		refused := (*smtp.SMTPError)(nil)
		if err := c.server.step("connect", ""); errors.As(err, &refused) {
			p = fmt.Appendf(nil, "%d no service\r\n", refused.Code)
		} else if err != nil {
			_ = c.Close()
			return 0, err
		}
	}
	n, err := c.Conn.Write(p)
	if to := c.accepted; to != "" {
		c.accepted = ""
		if err == nil {
			_ = c.server.step("answered", to) // too late for another answer
		}
	}
	return n, err
}

func (s *Server) step(stage, to string) error {
	if s.config.Step == nil {
		return nil
	}
	return s.config.Step(stage, to)
}

// Stop ends the server and all its connections.
func (s *Server) Stop() {
	_ = s.listener.Close() // which the server may not know yet
	_ = s.server.Close()
}

// Received are the mails that came, in their order.
func (s *Server) Received() []Message {
	s.mu.Lock()
	defer s.mu.Unlock()
	return append([]Message(nil), s.received...)
}

// Connections is how many have been made.
func (s *Server) Connections() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.connections
}

func (s *Server) newSession(conn *smtp.Conn) (smtp.Session, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.connections++
	return &session{server: s, conn: conn.Conn(), isKnown: s.config.User == "", connection: s.connections}, nil
}

type session struct {
	server     *Server
	conn       net.Conn
	isKnown    bool
	connection int
	message    Message
}

func (s *session) step(stage string) error {
	err := s.server.step(stage, s.message.To)
	if errors.Is(err, ErrDrop) {
		_ = s.conn.Close()
	}
	return err
}

func (s *session) AuthMechanisms() []string {
	if s.server.config.User == "" {
		return nil
	}
	return []string{sasl.Plain}
}

func (s *session) Auth(string) (sasl.Server, error) {
	return sasl.NewPlainServer(func(_, user, password string) error {
		if user != s.server.config.User || password != s.server.config.Password {
			return smtp.ErrAuthFailed
		}
		s.isKnown = true
		return nil
	}), nil
}

func (s *session) Mail(from string, options *smtp.MailOptions) error {
	if !s.isKnown {
		return Refuse(530)
	}
	s.message = Message{From: from, UTF8: options.UTF8, Connection: s.connection}
	return s.step("mail")
}

func (s *session) Rcpt(to string, _ *smtp.RcptOptions) error {
	s.message.To = to
	return s.step("rcpt")
}

func (s *session) Data(r io.Reader) (err error) {
	if err := s.step("text"); err != nil {
		return err
	}
	if s.message.Data, err = io.ReadAll(r); err != nil {
		return err
	}
	if err = s.step("data"); err != nil && !errors.Is(err, ErrDrop) {
		return err
	}
	if c, is := s.conn.(*stepConn); is { // not beneath STARTTLS
		c.accepted = s.message.To
	}
	s.server.mu.Lock()
	defer s.server.mu.Unlock()
	s.server.received = append(s.server.received, s.message)
	return err
}

func (s *session) Reset()        { s.message = Message{} }
func (s *session) Logout() error { return nil }

// Certificate is one of 127.0.0.1 and localhost that nobody has signed, and the pool that trusts it.
func Certificate(t testing.TB) (*tls.Config, *x509.CertPool) {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	template := &x509.Certificate{
		SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "localhost"}, NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour),
		DNSNames: []string{"localhost"}, IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)}, IsCA: true, BasicConstraintsValid: true,
	}
	der, err := x509.CreateCertificate(rand.Reader, template, template, key.Public(), key)
	if err != nil {
		t.Fatal(err)
	}
	leaf, err := x509.ParseCertificate(der)
	if err != nil {
		t.Fatal(err)
	}
	pool := x509.NewCertPool()
	pool.AddCert(leaf)
	return &tls.Config{Certificates: []tls.Certificate{{Certificate: [][]byte{der}, PrivateKey: key}}}, pool
}
