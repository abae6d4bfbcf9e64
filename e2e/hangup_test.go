package e2e

import (
	"crypto/tls"
	"crypto/x509"
	"fmt"
	"os"
	"strings"
	"syscall"
	"testing"

	"golang.org/x/crypto/bcrypt"

	"example.org/library/internal/testkit"
)

const rereadLine = `msg="read again"`

// hangup asks a server to read its files again and waits until it says how that
// went.
func (s *server) hangup(t testing.TB, line string) {
	t.Helper()
	before := strings.Count(s.Log.String(), line)
	s.signal(t, syscall.SIGHUP)
	testkit.Eventually(t, "the server says "+line, func() bool { return strings.Count(s.Log.String(), line) > before })
}

func TestHangupReadsTheCertificateAgain(t *testing.T) {
	t.Parallel()
	certFile, keyFile, first := newCertificate(t)
	otherCert, otherKey, second := newCertificate(t)
	s := startOn(t, emptySQLite(t), "--tls-cert", certFile, "--tls-key", keyFile)
	s.mayLogErrors = true
	accepts := func(what string, roots *x509.CertPool, want bool) {
		t.Helper()
		conn, err := tls.Dial("tcp", strings.TrimPrefix(s.root, "https://"), &tls.Config{RootCAs: roots})
		if err == nil {
			conn.Close()
		}
		if (err == nil) != want {
			t.Errorf("%s: %v", what, err)
		}
	}
	l := s.as(t, reader).listen("")
	l.want("ready", "", false)

	replace(t, otherCert, certFile)
	s.hangup(t, "keeping the previous one") // the key is not that of the certificate
	accepts("the old certificate after a bad one", first, true)

	replace(t, otherKey, keyFile)
	s.hangup(t, rereadLine)
	accepts("the new certificate", second, true)
	accepts("the old certificate", first, false)

	s.as(t, reader).post("/books/"+cleanCode+"/borrow", nil).want(200)
	l.want("borrowed", cleanCode, true) // the stream has gone on
	if code := s.stop(t, terminate); code != 0 {
		t.Errorf("exit code %d", code)
	}
}

func replace(t *testing.T, from, to string) {
	t.Helper()
	content, err := os.ReadFile(from)
	testkit.NoError(t, err)
	testkit.NoError(t, os.WriteFile(to, content, 0o600))
}

func TestHangupReadsThePasswordFileAgain(t *testing.T) {
	t.Parallel()
	path := passwordFile(t)
	s := start(t, nil, "--auth", "basic", "--htpasswd", path, "--database", emptySQLite(t), "--sample-data")
	s.mayLogErrors = true
	me := func(password string, want int) {
		t.Helper()
		s.with(t, nobody).call("GET", "/me", nil, "Authorization", "Basic "+basicCredentials(reader.email, password)).want(want)
	}
	me("wayne", 200)
	testkit.NoError(t, os.WriteFile(path, []byte("nonsense\n"), 0o600))
	s.hangup(t, "keeping the previous one")
	me("wayne", 200)
	hash, err := bcrypt.GenerateFromPassword([]byte("new"), bcrypt.MinCost)
	testkit.NoError(t, err)
	testkit.NoError(t, os.WriteFile(path, fmt.Appendf(nil, "%s:%s\n", reader.email, hash), 0o600))
	s.hangup(t, rereadLine)
	me("wayne", 401)
	me("new", 200)
}

func TestHangupDoesNotStopAServerWithoutFiles(t *testing.T) {
	t.Parallel()
	s := startOn(t, emptySQLite(t))
	s.hangup(t, "SIGHUP: there is no certificate")
	s.as(t, reader).get("/books").want(200)
}
