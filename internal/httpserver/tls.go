package httpserver

import (
	"context"
	"crypto/tls"
	"errors"
	"net"
	"time"
)

// tlsListener hands over connections after their TLS handshake. Otherwise net/http would do the
// handshake and write its own refusals to the TLS connection, where nothing can replace them.
type tlsListener struct {
	net.Listener
	config  *tls.Config
	timeout time.Duration
	refusal func(status int) []byte

	ready   chan accepted
	closing context.Context
	close   context.CancelFunc
}

type accepted struct {
	conn net.Conn
	err  error
}

func newTLSListener(l net.Listener, config *tls.Config, timeout time.Duration, refusal func(int) []byte) *tlsListener {
	t := &tlsListener{Listener: l, config: config, timeout: timeout, refusal: refusal, ready: make(chan accepted)}
	t.closing, t.close = context.WithCancel(context.Background())
	go t.run()
	return t
}

func (l *tlsListener) Accept() (net.Conn, error) {
	select {
	case a := <-l.ready:
		return a.conn, a.err
	case <-l.closing.Done():
		return nil, net.ErrClosed
	}
}

func (l *tlsListener) Close() error {
	l.close()
	return l.Listener.Close()
}

func (l *tlsListener) run() {
	for l.closing.Err() == nil {
		c, err := l.Listener.Accept()
		if err != nil {
			l.hand(accepted{err: err})
			continue
		}
		go func() {
			if secured := l.shake(c); secured != nil {
				l.hand(accepted{conn: secured})
			}
		}()
	}
}

// hand hands over to Accept.
func (l *tlsListener) hand(a accepted) {
	select {
	case l.ready <- a:
	case <-l.closing.Done():
		if a.conn != nil {
			a.conn.Close()
		}
	}
}

// shake does the handshake. It returns nil after a failure.
func (l *tlsListener) shake(c net.Conn) net.Conn {
	ctx, cancel := context.WithTimeout(l.closing, l.timeout)
	defer cancel()
	secured := tls.Server(c, l.config)
	if err := secured.HandshakeContext(ctx); err != nil {
		l.refusePlain(c, err)
		c.Close()
		return nil
	}
	protocol := secured.ConnectionState().NegotiatedProtocol
	if protocol != "" && protocol != "h2" && protocol != "http/1.1" { // a proof; see Config
		secured.Close()
		return nil
	}
	if protocol == "h2" {
		return secured
	}
	return &refusingTLS{refusing{secured, l.refusal}, secured}
}

// refusePlain answers a client with plain HTTP.
func (l *tlsListener) refusePlain(c net.Conn, err error) {
	record, ok := errors.AsType[tls.RecordHeaderError](err)
	if l.refusal == nil || !ok || record.Conn == nil {
		return
	}
	switch string(record.RecordHeader[:]) {
	case "GET /", "HEAD ", "POST ", "PUT /", "OPTIO", "DELET":
		c.SetWriteDeadline(time.Now().Add(l.timeout))
		c.Write(l.refusal(400))
		innermost(c).sending.Store(true)
	}
}
