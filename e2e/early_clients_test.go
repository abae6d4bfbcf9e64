package e2e

import (
	"bytes"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"example.org/library/internal/testkit"
)

// foreignRequest is a line of what clients are asked to send; foreign/client.py says
// what is in it.
type foreignRequest struct {
	name, method, url string
	size, times       int
	chunked, http2    bool
	headers           []string
}

func foreignRequests(t *testing.T, lines string) (all []foreignRequest) {
	t.Helper()
	for line := range strings.Lines(lines) {
		f := strings.Split(strings.TrimSuffix(line, "\n"), "\t")
		r := foreignRequest{name: f[0], method: f[1], url: f[2], chunked: f[4] == "chunked", http2: f[5] == "2", headers: f[7:]}
		var err1, err2 error
		r.size, err1 = strconv.Atoi(f[3])
		r.times, err2 = strconv.Atoi(f[6])
		if err1 != nil || err2 != nil {
			t.Fatalf("%q: %v, %v", line, err1, err2)
		}
		all = append(all, r)
	}
	return all
}

// answered is a line of what clients answer.
func answered(name string, status int, text string) string {
	return fmt.Sprintf("%s\t%d\t%s\n", name, status, strings.Join(strings.Fields(text), " "))
}

// curl asks the server first whether it may send the body, as it does by itself, or
// does not, if expect is an empty header.
func curl(expect string) func(*testing.T, string, string) string {
	return func(t *testing.T, authority, requests string) string {
		t.Helper()
		var answers strings.Builder
		body, headers := filepath.Join(t.TempDir(), "body"), filepath.Join(t.TempDir(), "headers")
		for _, r := range foreignRequests(t, requests) {
			if err := errors.Join(os.WriteFile(body, bytes.Repeat([]byte("x"), r.size), 0o600),
				os.WriteFile(headers, []byte(strings.Join(r.headers, "\n")), 0o600)); err != nil {
				t.Fatal(err)
			}
			args := []string{"-sS", "--noproxy", "*", "--max-time", "20", "--path-as-is", "--cacert", authority, "-w", "\t%{http_version}\t%{http_code}",
				"-H", expect, "-H", "@" + headers, "-X", r.method, "--data-binary", "@" + body, r.url}
			if r.chunked && !r.http2 {
				args = append(args, "-H", "Transfer-Encoding: chunked")
			}
			version := "1.1"
			if r.http2 {
				version = "2"
			} else {
				args = append(args, "--http1.1")
			}
			for range r.times {
				answers.WriteString(oneByCurl(r.name, version, args))
			}
		}
		return answers.String()
	}
}

func oneByCurl(name, version string, args []string) string {
	out, err := exec.Command("curl", args...).CombinedOutput()
	parts := strings.Split(string(out), "\t")
	if err != nil || len(parts) != 3 || parts[1] != version {
		return answered(name, 0, fmt.Sprintf("%v %q", err, out))
	}
	status, _ := strconv.Atoi(parts[2])
	return answered(name, status, parts[0])
}

// withGo is net/http's own client.
func withGo(t *testing.T, authority, requests string) string {
	t.Helper()
	pem, err := os.ReadFile(authority)
	testkit.NoError(t, err)
	roots := x509.NewCertPool()
	roots.AppendCertsFromPEM(pem)
	var answers strings.Builder
	for _, r := range foreignRequests(t, requests) {
		transport := &http.Transport{TLSClientConfig: &tls.Config{RootCAs: roots}, ForceAttemptHTTP2: r.http2}
		client := http.Client{Transport: transport, Timeout: testkit.Timeout(t)}
		for range r.times {
			status, text := oneByGo(&client, r)
			answers.WriteString(answered(r.name, status, text))
		}
		transport.CloseIdleConnections()
	}
	return answers.String()
}

func oneByGo(client *http.Client, r foreignRequest) (status int, text string) {
	var body io.Reader = bytes.NewReader(make([]byte, r.size))
	if r.chunked {
		body = io.MultiReader(body) // of which net/http does not know the size
	}
	req, err := http.NewRequest(r.method, r.url, body)
	if err != nil {
		return 0, err.Error()
	}
	for _, header := range r.headers {
		name, value, _ := strings.Cut(header, ": ")
		req.Header.Set(name, value)
	}
	resp, err := client.Do(req)
	if err != nil {
		return 0, err.Error()
	}
	defer resp.Body.Close()
	answer, err := io.ReadAll(resp.Body)
	if err != nil {
		return 0, err.Error()
	}
	if r.http2 != (resp.ProtoMajor == 2) {
		return 0, "they speak " + resp.Proto
	}
	return resp.StatusCode, string(answer)
}
