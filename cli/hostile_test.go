//go:build unix

package cli

import (
	"bytes"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"io"
	"log"
	"math/big"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/creack/pty"

	"example.org/library/cli/clitest"
	"example.org/library/cli/command"
	"example.org/library/internal/testkit"
)

func isHarmful(text string) bool { return strings.ContainsAny(text, "\x1b\u009b\u202e") }

// onTerminal runs a command whose results and other words go to a terminal.
func onTerminal(t *testing.T, server string, args ...string) (code int, shown string) {
	t.Helper()
	return onTerminalWith(t, server, "", args...)
}

// onTerminalWith is onTerminal for a command that reads something.
func onTerminalWith(t *testing.T, server, stdin string, args ...string) (code int, shown string) {
	t.Helper()
	screen, tty, err := pty.Open()
	testkit.NoError(t, err)
	defer screen.Close()
	vars := map[string]string{"LIBRARY_TOKEN": "x", "LIBRARY_SERVER": server, "NO_COLOR": "1"}
	var text bytes.Buffer
	read := make(chan struct{})
	go func() {
		defer close(read)
		io.Copy(&text, screen) // fails when the terminal is closed
	}()
	code = program(t.Context(), args, command.Environment{
		Lookup: func(name string) (string, bool) { value, is := vars[name]; return value, is },
		Stdin:  strings.NewReader(stdin), Stdout: tty, Stderr: tty,
	})
	tty.Close()
	<-read
	return code, text.String()
}

func TestAServerCannotCommandATerminal(t *testing.T) {
	t.Parallel()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		w.Header().Set("X-Total-Count", "1")
		switch {
		case r.Method == http.MethodPost:
			w.WriteHeader(http.StatusCreated)
			io.WriteString(w, `{"identifier":"evil \u001b[2J\u009b2J\u202e","title":"evil \u001b[2J\u009b2J\u202e","firstName":"evil","lastName":"\u001b[2J\u009b2J\u202e"}`)
		case strings.HasSuffix(r.URL.Path, "/exports/books") && r.FormValue("format") == "csv":
			w.Header().Set("Content-Type", "text/csv; charset=utf-8")
			io.WriteString(w, "identifier,title\nevil,\x1b[2J\u009b2J\u202e\n")
		case strings.HasSuffix(r.URL.Path, "/books"):
			io.WriteString(w, `[{"identifier":"evil \u001b[2J\u009b2J\u202e","title":"evil \u001b[2J\u009b2J\u202e","description":"\u007f"}]`)
		default:
			w.WriteHeader(http.StatusConflict)
			io.WriteString(w, `{"code":"outdated","message":"evil \u001b[2J\u009b2J\u202e"}`)
		}
	}))
	defer server.Close()
	for _, args := range [][]string{
		{"books", "add", "--title", "x"},
		{"books", "add", "--title", "x", "--json"},
		{"users", "add", "--email", "a@example.com", "--first-name", "A", "--last-name", "B"},
		{"users", "add", "--email", "a@example.com", "--first-name", "A", "--last-name", "B", "--json"},
		{"books", "list"},
		{"books", "list", "--json"},
		{"books", "export"},
		{"books", "export", "--format", "jsonl"},
		{"books", "show", "evil"},
		{"books", "edit", "evil", "--title", "x"},
		{"books", "borrow", "evil", "evil"},
		{"users", "show", clitest.CleanCode},
	} {
		_, shown := onTerminal(t, server.URL, args...)
		if isHarmful(shown) || !strings.Contains(shown, "evil") {
			t.Errorf("%v shows %q", args, shown)
		}
	}
}

func TestACertificateCannotCommandATerminal(t *testing.T) {
	t.Parallel()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	testkit.NoError(t, err)
	template := &x509.Certificate{
		SerialNumber: big.NewInt(1), NotAfter: time.Now().Add(time.Hour), DNSNames: []string{"evil\x1b[2J.example.com"},
	}
	certificate, err := x509.CreateCertificate(rand.Reader, template, template, key.Public(), key)
	testkit.NoError(t, err)
	server := httptest.NewUnstartedServer(http.NotFoundHandler())
	server.TLS = &tls.Config{Certificates: []tls.Certificate{{Certificate: [][]byte{certificate}, PrivateKey: key}}}
	server.Config.ErrorLog = log.New(io.Discard, "", 0)
	server.StartTLS()
	defer server.Close()
	address := strings.Replace(server.URL, "127.0.0.1", "localhost", 1)
	code, shown := onTerminal(t, address, "books", "list")
	if code != command.ExitFailed || isHarmful(shown) || !strings.Contains(shown, "certificate") {
		t.Errorf("exit code %d: %q", code, shown)
	}
}
