package client

import (
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"errors"
	"math/big"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"example.org/library/internal/testkit"
)

// startTLS starts a server whose certificate was written by somebody else, and
// returns a transport that trusts it if it is to be trusted.
func startTLS(t *testing.T, trusted bool, change func(*x509.Certificate)) (*httptest.Server, http.RoundTripper) {
	t.Helper()
	const hostile = "\x1b]0;pwned\a\u202e\u009b31m"
	template := &x509.Certificate{
		SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: hostile, Organization: []string{hostile}},
		NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour),
		IsCA: true, BasicConstraintsValid: true, IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)},
	}
	change(template)
	key := newKey()
	der, err := x509.CreateCertificate(rand.Reader, template, template, key.Public(), key)
	testkit.NoError(t, err)
	parsed, err := x509.ParseCertificate(der)
	testkit.NoError(t, err)
	server := httptest.NewUnstartedServer(http.NotFoundHandler())
	server.Config.ErrorLog = quiet
	server.TLS = &tls.Config{Certificates: []tls.Certificate{{Certificate: [][]byte{der}, PrivateKey: key}}}
	server.StartTLS()
	t.Cleanup(server.Close)
	roots := x509.NewCertPool()
	if trusted {
		roots.AddCert(parsed)
	}
	return server, &http.Transport{TLSClientConfig: &tls.Config{RootCAs: roots}}
}

func TestACertificateGetsNoneOfItsTextIntoAnError(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		rule    string
		trusted bool
		change  func(*x509.Certificate)
		says    string
	}{
		{"nobody knows who signed it", false, func(*x509.Certificate) {}, "signed by nobody whom this machine trusts"},
		{"it is of another host", true, func(c *x509.Certificate) {
			c.IPAddresses, c.DNSNames = nil, []string{"\x1b[31mevil.example.com"}
		}, "for another host"},
		{"it has expired", true, func(c *x509.Certificate) { c.NotAfter = time.Now().Add(-time.Minute) }, "expired"},
		{"it may not be used for this", true, func(c *x509.Certificate) { c.ExtKeyUsage = []x509.ExtKeyUsage{x509.ExtKeyUsageClientAuth} }, "cannot be verified"},
	} {
		t.Run(c.rule, func(t *testing.T) {
			t.Parallel()
			server, transport := startTLS(t, c.trusted, c.change)
			_, atProvider := Discover(t.Context(), server.URL, &http.Client{Transport: transport})
			_, sent := (&http.Client{Transport: transport}).Get(server.URL)
			for _, err := range []error{atProvider, serviceError(server.URL, sent)} {
				says(t, err, "the certificate of", "is not trusted", c.says)
				for _, r := range err.Error() {
					if r < ' ' || 0x7f <= r && r <= 0x9f || r == 0x202e {
						t.Fatalf("%q has a character that a terminal obeys", err)
					}
				}
				if strings.Contains(err.Error(), "pwned") || strings.Contains(err.Error(), "evil") {
					t.Errorf("%q quotes the certificate", err)
				}
				if certificate := (*tls.CertificateVerificationError)(nil); !errors.As(err, &certificate) {
					t.Errorf("%q is the same as another error", err)
				}
			}
		})
	}
}

// The name is one of a document that the provider has sent.
func TestAHostThatIsNotThereGetsNothingIntoAnError(t *testing.T) {
	t.Parallel()
	f := startFake(t)
	f.document["token_endpoint"] = "http://\u009b31m.invalid/token"
	_, err := discover(t, f.URL).Refresh(t.Context(), service, Token{Refresh: "s3cr3t"})
	says(t, err, "cannot be reached")
	if strings.ContainsFunc(err.Error(), func(r rune) bool { return r < ' ' || 0x7f <= r && r <= 0x9f }) {
		t.Errorf("%q has a character that a terminal obeys", err)
	}
}
