package main

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"log/slog"
	"regexp"
	"slices"
	"strings"
	"sync"
	"time"

	"golang.org/x/crypto/acme"
	"golang.org/x/crypto/acme/autocert"

	"example.org/library/cli/command"
)

// acmeConfig is where certificates come from that nobody has to fetch: an
// authority that speaks ACME, such as Let's Encrypt. It makes sure who we are with a
// TLS connection of its own (TLS-ALPN-01), so no other port is needed.
type acmeConfig struct {
	hosts     []string
	cache     string
	directory string
}

func (c *acmeConfig) settings() []setting {
	return []setting{
		{flag: "acme", list: true, usage: "host names to get certificates for from an ACME authority, whose terms this accepts; several separated by commas", set: hostNames(&c.hosts)},
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

// hostNames is a list of names that certificates can be for; "" is none.
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

// acmeCertificates are those that an authority has given us.
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

// helloFor is the beginning of a connection to a host by a client who knows
// elliptic curves, as all have done for years; so there is one certificate for each.
func helloFor(host string) *tls.ClientHelloInfo {
	return &tls.ClientHelloInfo{
		ServerName: host, CipherSuites: []uint16{tls.TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256},
		SignatureSchemes: []tls.SignatureScheme{tls.ECDSAWithP256AndSHA256}, SupportedCurves: []tls.CurveID{tls.CurveP256},
	}
}

// get is called at every handshake. It never waits for the authority: that may
// take minutes, and anybody can begin a handshake.
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
