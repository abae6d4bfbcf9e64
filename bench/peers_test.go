package bench

import (
	"bytes"
	"crypto/x509"
	"encoding/json"
	"encoding/pem"
	"flag"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"sync"
	"testing"
	"time"

	"example.org/library/internal/testidp"
	"example.org/library/internal/testkit"
)

var peers = flag.Bool("peers", false, "compare with Fastify and PocketBase, which are fetched from the registries")

const peerBooks = 1000

// peer is a service that answers the same questions.
type peer struct {
	name    string
	pid     int
	started time.Duration
	addr    string
	list    []byte
	one     []byte
	// borrow and giveBack are the requests of a reader about a book of their own.
	borrow, giveBack func(i int) []byte
}

// TestComparedWithPeers runs all of them in turns.
func TestComparedWithPeers(t *testing.T) {
	if !*peers {
		t.Skip("only with -peers: it fetches other programs")
	}
	idp := testidp.New(t)
	all := []*peer{ourPeer(t, idp), fastify(t, idp), pocketBase(t)}
	for _, what := range []struct {
		name string
		work func(*peer, *client, int) func() error
	}{
		{"list of 20 books", func(p *peer, c *client, _ int) func() error { return func() error { return want(200)(c.do(p.list)) } }},
		{"one book", func(p *peer, c *client, _ int) func() error { return func() error { return want(200)(c.do(p.one)) } }},
		{"borrow+return", func(p *peer, c *client, i int) func() error {
			borrow, giveBack := p.borrow(i), p.giveBack(i)
			return func() error {
				if err := want(200)(c.do(borrow)); err != nil {
					return err
				}
				return want(200)(c.do(giveBack))
			}
		}},
	} {
		measuredPeers := make([]peerFigures, len(all))
		for round := range *rounds + 1 {
			for i, p := range all {
				f := measurePeer(t, p, what.work)
				if round > 0 {
					measuredPeers[i].add(f)
				}
			}
		}
		t.Log(what.name)
		ours := measuredPeers[0]
		for i, p := range all {
			f := measuredPeers[i]
			t.Logf("   %-12s %7.0f/s (the program: %.1f times), p50 %.2f ms, p99 %.2f ms, processor %.0f µs", p.name,
				median(f.rate), median(ours.rate)/median(f.rate), median(f.p50), median(f.p99), median(f.processor))
		}
	}
	for _, p := range all {
		t.Logf("%-12s starts in %v, has %d MB", p.name, p.started.Round(time.Millisecond), residentMB(t, p.pid))
	}
}

// peerFigures are the rounds of one peer.
type peerFigures struct{ rate, p50, p99, processor []float64 }

func (f *peerFigures) add(g peerFigures) {
	f.rate, f.p50 = append(f.rate, g.rate...), append(f.p50, g.p50...)
	f.p99, f.processor = append(f.p99, g.p99...), append(f.processor, g.processor...)
}

// measurePeer is one round.
func measurePeer(t *testing.T, p *peer, work func(*peer, *client, int) func() error) peerFigures {
	t.Helper()
	var mu sync.Mutex
	var times []float64
	spent := readStat(t, p.pid).own
	n, r := counted(t, conns, *period, func(i int) (func() error, func()) {
		c, err := dial(p.addr)
		if err != nil {
			t.Fatal(err)
		}
		do := work(p, c, i)
		var own []float64
		return func() error {
				began := time.Now()
				err := do()
				own = append(own, float64(time.Since(began).Microseconds())/1000)
				return err
			}, func() {
				c.conn.Close()
				mu.Lock()
				defer mu.Unlock()
				times = append(times, own...)
			}
	})
	spent = readStat(t, p.pid).own - spent
	slices.Sort(times)
	if len(times) == 0 {
		t.Fatalf("%s did nothing", p.name)
	}
	return peerFigures{
		rate: []float64{r}, p50: []float64{times[len(times)/2]}, p99: []float64{times[len(times)*99/100]},
		processor: []float64{float64(spent.Microseconds()) / float64(n)},
	}
}

// startTwice starts a command once to make its data, and once more, which is timed.
func startTwice(t *testing.T, command func() *exec.Cmd) (pid int, addr string, took time.Duration) {
	t.Helper()
	first := command()
	start(t, first)
	first.Process.Signal(os.Interrupt)
	first.Wait()
	again := command()
	began := time.Now()
	addr = start(t, again)
	return again.Process.Pid, addr, time.Since(began)
}

func ourPeer(t *testing.T, idp *testidp.Provider) *peer {
	t.Helper()
	database := databases["sqlite"](t)
	addBooks(t, database, peerBooks)
	addReaders(t, database, conns)
	pid, addr, took := startTwice(t, func() *exec.Cmd { return program(database, idp) })
	return tokenPeer(t, "the program", pid, addr, took, idp)
}

// tokenPeer is a service with our paths and tokens.
func tokenPeer(t *testing.T, name string, pid int, addr string, took time.Duration, idp *testidp.Provider) *peer {
	t.Helper()
	tokens := make([]string, conns)
	for i := range tokens {
		tokens[i] = idp.Token(t, readerEmail(i), "library_user email profile")
	}
	path := func(i int) string { return base + "/books/" + bookID(i) }
	return &peer{
		name: name, pid: pid, addr: addr, started: took,
		list: request("GET", base+"/books?limit=20", tokens[0]), one: request("GET", path(0), tokens[0]),
		borrow:   func(i int) []byte { return request("POST", path(i)+"/borrow", tokens[i]) },
		giveBack: func(i int) []byte { return request("POST", path(i)+"/return", tokens[i]) },
	}
}

// libraryFile has the readers and books that peers are filled with.
func libraryFile(t *testing.T) string {
	t.Helper()
	type record struct {
		ID          string   `json:"id"`
		Title       string   `json:"title"`
		ISBN        string   `json:"isbn"`
		Description string   `json:"description"`
		Authors     []string `json:"authors"`
	}
	var l struct {
		Readers []map[string]string `json:"readers"`
		List    []record            `json:"list"`
	}
	for i := range conns {
		l.Readers = append(l.Readers, map[string]string{"id": readerID(i), "email": readerEmail(i), "firstName": "Reader", "lastName": fmt.Sprint(i)})
	}
	for i := range peerBooks {
		b := generated(i)
		l.List = append(l.List, record{b.ID, b.Title, b.ISBN, b.Description, b.Authors})
	}
	text, err := json.Marshal(l)
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "library.json")
	if err := os.WriteFile(file, text, 0o600); err != nil {
		t.Fatal(err)
	}
	return file
}

func fastify(t *testing.T, idp *testidp.Provider) *peer {
	t.Helper()
	if _, err := os.Stat("peers/fastify/node_modules"); err != nil { // it compiles for minutes
		run(t, "peers/fastify", "npm", "ci", "--no-audit", "--no-fund")
	}
	dir, books := t.TempDir(), libraryFile(t)
	key, err := x509.MarshalPKIXPublicKey(idp.PublicKey())
	if err != nil {
		t.Fatal(err)
	}
	pemFile := filepath.Join(dir, "key.pem")
	if err := os.WriteFile(pemFile, pem.EncodeToMemory(&pem.Block{Type: "PUBLIC KEY", Bytes: key}), 0o600); err != nil {
		t.Fatal(err)
	}
	pid, addr, took := startTwice(t, func() *exec.Cmd {
		cmd := exec.Command("node", "server.js", filepath.Join(dir, "library.db"), pemFile, idp.Issuer(), books)
		cmd.Dir = "peers/fastify"
		cmd.Env = append(os.Environ(), "NODE_ENV=production")
		return cmd
	})
	return tokenPeer(t, "Fastify", pid, addr, took, idp)
}

func pocketBase(t *testing.T) *peer {
	t.Helper()
	dir, books := t.TempDir(), libraryFile(t)
	binary, who := filepath.Join(dir, "pocketbase"), filepath.Join(dir, "who.json")
	run(t, "peers/pocketbase", "go", "build", "-o", binary, ".")
	_, port, _ := net.SplitHostPort(testkit.FreeAddress(t))
	pid, addr, took := startTwice(t, func() *exec.Cmd { return exec.Command(binary, filepath.Join(dir, "data"), port, books, who) })
	var made struct{ Tokens, Books []string }
	text, err := os.ReadFile(who)
	if err == nil {
		err = json.Unmarshal(text, &made)
	}
	if err != nil {
		t.Fatal(err)
	}
	const records = "/api/collections/books/records"
	return &peer{
		name: "PocketBase", pid: pid, addr: addr, started: took,
		list:     request("GET", records+"?perPage=20&sort=title", made.Tokens[0]),
		one:      request("GET", records+"/"+made.Books[0], made.Tokens[0]),
		borrow:   func(i int) []byte { return request("POST", "/books/"+made.Books[i]+"/borrow", made.Tokens[i]) },
		giveBack: func(i int) []byte { return request("POST", "/books/"+made.Books[i]+"/return", made.Tokens[i]) },
	}
}

// run runs a command in a folder to its end.
func run(t *testing.T, dir, name string, args ...string) {
	t.Helper()
	cmd := exec.Command(name, args...)
	cmd.Dir = dir
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%s: %v\n%s", cmd, err, out)
	}
}

// residentMB is how much memory a process has.
func residentMB(t *testing.T, pid int) int {
	t.Helper()
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	if err != nil {
		t.Fatal(err)
	}
	_, rest, _ := bytes.Cut(text, []byte("VmRSS:"))
	var kb int
	fmt.Sscan(string(rest), &kb)
	return kb / 1024
}
