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
	// Step is called at each stage ("mail", "rcpt", "data" when the mail is complete) with the recipient, where it is
	// known. What it returns is the answer (see [Refuse]); it may also wait.
	Step func(stage, to string) error
}

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
	go func() { _ = server.Serve(listener) }()
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

func (s *Server) newSession(*smtp.Conn) (smtp.Session, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.connections++
	return &session{server: s, isKnown: s.config.User == "", connection: s.connections}, nil
}

type session struct {
	server     *Server
	isKnown    bool
	connection int
	message    Message
}

func (s *session) step(stage string) error {
	if s.server.config.Step == nil {
		return nil
	}
	return s.server.config.Step(stage, s.message.To)
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
	if s.message.Data, err = io.ReadAll(r); err != nil {
		return err
	}
	if err := s.step("data"); err != nil {
		return err
	}
	s.server.mu.Lock()
	defer s.server.mu.Unlock()
	s.server.received = append(s.server.received, s.message)
	return nil
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
