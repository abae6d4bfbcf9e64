package upgrade

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"regexp"
	"sync/atomic"
	"testing"
	"time"

	"example.org/library/internal/testidp"
	"example.org/library/internal/testkit"
)

// site is a database and the identity provider of the processes on it.
type site struct {
	database             string
	idp                  *testidp.Provider
	admin, curator, user string // tokens
	serial               atomic.Int32
}

func newSite(t *testing.T, database string) *site {
	t.Helper()
	s := &site{database: database, idp: testidp.New(t)}
	token := func(email, scope string) string {
		claims := testidp.Claims{"email": email, "scope": scope, "exp": time.Now().Add(time.Hour).Unix()}
		return s.idp.Mint(t, claims, testidp.ES256())
	}
	s.admin = token("clark.kent@example.com", "library_admin")
	s.curator = token("peter.parker@example.com", "library_curator")
	s.user = token("bruce.wayne@example.com", "library_user")
	return s
}

// server is a running `library serve`.
type server struct {
	*testkit.Process
	site *site
	name string // old or new
	addr string // host:port
}

// start starts a program on the database and waits until it has opened it.
func (s *site) start(t *testing.T, name, program string) *server {
	t.Helper()
	p := s.launch(t, name, program)
	p.addr = p.AwaitLog(t, regexp.MustCompile(`msg=listening addr=([0-9.:]+)`))
	p.AwaitOpen(t)
	return p
}

// launch starts a program and waits for nothing.
func (s *site) launch(t *testing.T, name, program string) *server {
	t.Helper()
	cmd := exec.Command(program, "serve", "--addr", "127.0.0.1:0", "--management-addr", "127.0.0.1:0",
		"--issuer", s.idp.Issuer(), "--database", s.database, "--sample-data")
	cmd.Dir = t.TempDir()
	cmd.Env = []string{"HOME=" + cmd.Dir, "TMPDIR=" + os.TempDir()}
	p := &server{Process: testkit.Start(t, cmd), site: s, name: name}
	t.Cleanup(func() {
		if t.Failed() {
			t.Logf("log of the %s program (its end):\n%s", name, p.LogEnd())
		}
	})
	return p
}

// record is what the test looks at of books and users.
type record struct {
	Identifier string
	Title      string
	Email      string
	Available  int
}

// ask sends a request, and returns the answer; the error says what was wrong with it.
func (s *server) ask(method, path, token string, body any, want int) (record, error) {
	var content bytes.Buffer
	if body != nil {
		if err := json.NewEncoder(&content).Encode(body); err != nil {
			return record{}, err
		}
	}
	req, err := http.NewRequest(method, "http://"+s.addr+"/library-server"+path, &content)
	if err != nil {
		return record{}, err
	}
	req.Header.Set("Authorization", "Bearer "+token)
	if body != nil {
		req.Header.Set("Content-Type", "application/json")
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return record{}, fmt.Errorf("%s program: %w", s.name, err)
	}
	defer resp.Body.Close()
	text, err := io.ReadAll(resp.Body)
	var got record
	if err == nil && !bytes.HasPrefix(text, []byte("[")) { // of lists, the status is enough
		err = json.Unmarshal(text, &got)
	}
	if err != nil || resp.StatusCode != want {
		return got, fmt.Errorf("%s program: %s %s: %d instead of %d, %v\n%s", s.name, method, path, resp.StatusCode, want, err, text)
	}
	return got, nil
}
