package e2e

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"io"
	"math/big"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"example.org/library/internal/testkit"
)

// newCertificate makes a certificate for 127.0.0.1 and returns its files and a
// pool that trusts it.
func newCertificate(t testing.TB) (certFile, keyFile string, roots *x509.CertPool) {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	testkit.NoError(t, err)
	template := &x509.Certificate{
		SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "library"},
		NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour),
		IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)}, IsCA: true, BasicConstraintsValid: true,
	}
	cert, err := x509.CreateCertificate(rand.Reader, template, template, &key.PublicKey, key)
	testkit.NoError(t, err)
	private, err := x509.MarshalPKCS8PrivateKey(key)
	testkit.NoError(t, err)
	roots = x509.NewCertPool()
	parsed, err := x509.ParseCertificate(cert)
	testkit.NoError(t, err)
	roots.AddCert(parsed)
	write := func(name, kind string, der []byte) string {
		path := filepath.Join(t.TempDir(), name)
		testkit.NoError(t, os.WriteFile(path, pem.EncodeToMemory(&pem.Block{Type: kind, Bytes: der}), 0o600))
		return path
	}
	return write("cert.pem", "CERTIFICATE", cert), write("key.pem", "PRIVATE KEY", private), roots
}

func TestTLSAnswersHaveStrictTransportSecurityAndPlainOnesDoNot(t *testing.T) {
	t.Parallel()
	certFile, keyFile, roots := newCertificate(t)
	t.Run("TLS", func(t *testing.T) {
		t.Parallel()
		s := startOn(t, emptySQLite(t), "--tls-cert", certFile, "--tls-key", keyFile)
		s.client.Transport.(*http.Transport).TLSClientConfig = &tls.Config{RootCAs: roots}
		for _, r := range []response{s.as(t, reader).get("/books").want(200), s.with(t, nobody).get("/books").want(401)} {
			if got := r.Header.Get("Strict-Transport-Security"); !strings.HasPrefix(got, "max-age=") {
				t.Errorf("Strict-Transport-Security is %q", got)
			}
		}
		if status, _ := s.manage(t, "/healthz"); status != 200 { // in plain HTTP, always
			t.Errorf("/healthz: %d", status)
		}
		resp, err := s.client.Get("http" + strings.TrimPrefix(s.base, "https") + "/books")
		testkit.NoError(t, err)
		defer resp.Body.Close()
		if body, _ := io.ReadAll(resp.Body); resp.StatusCode != 400 {
			t.Errorf("plain HTTP to the TLS port: %d %s", resp.StatusCode, body)
		}
		if _, err := tls.Dial("tcp", strings.TrimPrefix(s.root, "https://"), &tls.Config{RootCAs: roots, MaxVersion: tls.VersionTLS11}); err == nil {
			t.Error("TLS 1.1 is accepted")
		}
		if code := s.stop(t, terminate); code != 0 {
			t.Errorf("exit code %d", code)
		}
	})
	t.Run("plain", func(t *testing.T) {
		t.Parallel()
		s := startOn(t, emptySQLite(t))
		s.as(t, reader).get("/books").want(200).wantHeader("Strict-Transport-Security", "")
	})
}
