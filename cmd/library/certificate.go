package main

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"regexp"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"golang.org/x/crypto/acme"
	"golang.org/x/crypto/acme/autocert"

	"example.org/library/cli/command"
)

// certificates are the certificates of the servers.
type certificates struct {
	get  func(*tls.ClientHelloInfo) (*tls.Certificate, error) // nil for servers that speak plain HTTP
	file *certificate                                         // nil if they are not from a file
	// proof is the protocol for proving our name to an authority, "" for none.
	proof string
}

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

// certificate is the one of the API and of the browser client. It can be read again while it is in
// use.
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

// read reads the files. If they cannot be used, the previous certificate stays.
func (c *certificate) read() error {
	pair, err := tls.LoadX509KeyPair(c.certFile, c.keyFile)
	if err != nil {
		return fmt.Errorf("--tls-cert, --tls-key: %w", err)
	}
	c.current.Store(&pair)
	return nil
}

// certificateInterval is how often the files are looked at. Renewal programs replace them weeks
// before the old certificate ends.
const certificateInterval = 10 * time.Second

// watch reads the files again when they change, until ctx ends. They are written one after the
// other, so an unmatched pair is reported only after it has stayed the same for a while.
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
			log.Error("reload failed; keeping the previous one", "file", "certificate", "error", err)
		case err != nil:
			failed = &now
		}
	}
}

// pairState is the state of the two files, known without reading them.
type pairState [2]os.FileInfo

// look follows links: renewal often replaces a link. A missing file is nil.
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

// acmeConfig configures certificates from an ACME authority, such as Let's Encrypt. The authority
// checks our name with a TLS connection of its own (TLS-ALPN-01), so no other port is needed.
type acmeConfig struct {
	hosts     []string
	cache     string
	directory string
}

func (c *acmeConfig) settings() []setting {
	return []setting{
		{flag: "acme", list: true, usage: "host names for certificates of an ACME authority; accepts its terms; several separated by commas", set: hostNames(&c.hosts)},
		{flag: "acme-cache", value: "acme", usage: "folder for these certificates and their keys", set: text(&c.cache)},
		{flag: "acme-directory", value: acme.LetsEncryptURL, usage: "directory address of the ACME authority", set: webAddress(&c.directory)},
	}
}

func (c *acmeConfig) check(tlsCert string) (problems []command.Problem) {
	if len(c.hosts) == 0 {
		return nil
	}
	if tlsCert != "" {
		problems = append(problems, problem("--acme", "and --tls-cert exclude each other"))
	}
	if c.cache == "" {
		problems = append(problems, problem("--acme-cache", "is empty; name a folder, or every start would ask for new certificates"))
	}
	if c.directory == "" {
		problems = append(problems, problem("--acme-directory", "is empty"))
	}
	return problems
}

var hostName = regexp.MustCompile(`^([a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$`)

// hostNames parses a list of names for certificates; "" is none.
func hostNames(into *[]string) func(string) error {
	return func(v string) error {
		*into = nil
		if v == "" {
			return nil
		}
		for name := range strings.SplitSeq(v, ",") {
			name = strings.ToLower(strings.TrimSpace(name))
			if !hostName.MatchString(name) || len(name) > 253 {
				return fmt.Errorf("has %q in it; it takes names such as library.example.org, without scheme and port, several separated by commas", name)
			}
			*into = append(*into, name)
		}
		return nil
	}
}

// acmeCertificates are certificates from an authority.
type acmeCertificates struct {
	hosts   []string
	manager *autocert.Manager

	mu       sync.Mutex
	obtained map[string]bool
}

func (c *acmeConfig) open(ctx context.Context, log *slog.Logger) *acmeCertificates {
	a := &acmeCertificates{hosts: c.hosts, obtained: make(map[string]bool), manager: &autocert.Manager{
		Prompt: autocert.AcceptTOS, Cache: autocert.DirCache(c.cache), HostPolicy: autocert.HostWhitelist(c.hosts...),
		Client: &acme.Client{DirectoryURL: c.directory, UserAgent: "library"},
	}}
	for _, host := range c.hosts {
		go a.obtain(ctx, host, log)
	}
	return a
}

// The authority counts failures, so we wait longer after each.
const (
	firstACMERetry = time.Minute
	lastACMERetry  = time.Hour
)

// obtain gets a certificate, from the folder or from the authority, and tries
// until it has one. From then on it is renewed in time.
func (a *acmeCertificates) obtain(ctx context.Context, host string, log *slog.Logger) {
	for wait := firstACMERetry; ctx.Err() == nil; wait = min(2*wait, lastACMERetry) {
		cert, err := a.manager.GetCertificate(helloFor(host))
		if err == nil {
			a.mu.Lock()
			a.obtained[host] = true
			a.mu.Unlock()
			log.Info("certificate", "host", host, "until", cert.Leaf.NotAfter)
			return
		}
		log.Error("no certificate; it is tried again", "host", host, "after", wait, "error", err)
		select {
		case <-time.After(wait):
		case <-ctx.Done():
		}
	}
}

// helloFor returns the beginning of a connection to a host by a client with elliptic curves, like
// all clients for years; so there is one certificate for each host.
func helloFor(host string) *tls.ClientHelloInfo {
	return &tls.ClientHelloInfo{
		ServerName: host, CipherSuites: []uint16{tls.TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256},
		SignatureSchemes: []tls.SignatureScheme{tls.ECDSAWithP256AndSHA256}, SupportedCurves: []tls.CurveID{tls.CurveP256},
	}
}

// get is called at every handshake. It never waits for the authority: that may take minutes, and
// anybody can begin a handshake.
func (a *acmeCertificates) get(hello *tls.ClientHelloInfo) (*tls.Certificate, error) {
	host := strings.ToLower(strings.TrimSuffix(hello.ServerName, "."))
	if !slices.Contains(a.hosts, host) {
		return nil, errors.New("there is no certificate for this name")
	}
	if slices.Equal(hello.SupportedProtos, []string{acme.ALPNProto}) { // the authority
		return a.manager.GetCertificate(hello)
	}
	a.mu.Lock()
	obtained := a.obtained[host]
	a.mu.Unlock()
	if !obtained {
		return nil, errors.New("there is no certificate for this name yet")
	}
	return a.manager.GetCertificate(helloFor(host))
}
