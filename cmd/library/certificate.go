package main

import (
	"context"
	"crypto/tls"
	"fmt"
	"log/slog"
	"os"
	"sync/atomic"
	"time"

	"golang.org/x/crypto/acme"
)

// certificates are what servers show of themselves.
type certificates struct {
	get  func(*tls.ClientHelloInfo) (*tls.Certificate, error) // nil for servers that speak plain HTTP
	file *certificate                                         // nil if they are not from a file
	// proof is the protocol by which an authority checks that the name is ours, "" for none.
	proof string
}

// speaksTLS reports whether the servers do.
func (c *serveConfig) speaksTLS() bool { return c.tlsCert != "" || len(c.acme.hosts) > 0 }

// openCertificates gets the certificates of this configuration, and keeps them new
// until ctx ends.
func (c *serveConfig) openCertificates(ctx context.Context, log *slog.Logger) (certificates, error) {
	if len(c.acme.hosts) > 0 {
		return certificates{get: c.acme.open(ctx, log).get, proof: acme.ALPNProto}, nil
	}
	file, err := openCertificate(c.tlsCert, c.tlsKey)
	if file == nil || err != nil {
		return certificates{}, err
	}
	go file.watch(ctx, log, certificateInterval)
	get := func(*tls.ClientHelloInfo) (*tls.Certificate, error) { return file.current.Load(), nil }
	return certificates{get: get, file: file}, nil
}

// certificate is that of the API and of the browser client, which can be read
// again while it is in use.
type certificate struct {
	certFile, keyFile string
	current           atomic.Pointer[tls.Certificate]
	opened            pairState // before they were read for the first time
}

// openCertificate reads the files. It returns nil for no files.
func openCertificate(certFile, keyFile string) (*certificate, error) {
	if certFile == "" {
		return nil, nil
	}
	c := &certificate{certFile: certFile, keyFile: keyFile}
	c.opened = c.look()
	return c, c.read()
}

// read reads the files. If they cannot be used, what was read before stays.
func (c *certificate) read() error {
	pair, err := tls.LoadX509KeyPair(c.certFile, c.keyFile)
	if err != nil {
		return fmt.Errorf("--tls-cert, --tls-key: %w", err)
	}
	c.current.Store(&pair)
	return nil
}

// certificateInterval is how often the files are looked at. Programs that renew
// certificates do so weeks before the old one ends.
const certificateInterval = 10 * time.Second

// watch reads the files again when they change, until ctx ends. The two are
// written one after the other, so a pair that does not fit is no reason to complain
// until it has stayed as it is for a while.
func (c *certificate) watch(ctx context.Context, log *slog.Logger, interval time.Duration) {
	tick := time.NewTicker(interval)
	defer tick.Stop()
	used := c.opened
	var failed *pairState
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
		now := c.look()
		if now.same(used) {
			failed = nil
			continue
		}
		err := c.read()
		switch {
		case err == nil && now.same(c.look()): // else it was written to meanwhile
			used, failed = now, nil
			log.Info("read again", "file", "certificate")
		case err != nil && failed != nil && now.same(*failed):
			used = now // what is wrong with it was said once
			log.Error("cannot be used; the one before stays in force", "file", "certificate", "error", err)
		case err != nil:
			failed = &now
		}
	}
}

// pairState is what can be seen of the two files without reading them.
type pairState [2]os.FileInfo

// look follows links: renewal often replaces a link. A file that is not there is nil.
func (c *certificate) look() (state pairState) {
	for i, path := range []string{c.certFile, c.keyFile} {
		if info, err := os.Stat(path); err == nil {
			state[i] = info
		}
	}
	return state
}

func (s pairState) same(other pairState) bool {
	for i, a := range s {
		b := other[i]
		if (a == nil) != (b == nil) {
			return false
		}
		if a != nil && (!os.SameFile(a, b) || !a.ModTime().Equal(b.ModTime()) || a.Size() != b.Size()) {
			return false
		}
	}
	return true
}
