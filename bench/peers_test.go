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
	"strings"
	"testing"
	"time"

	"example.org/library"
	"example.org/library/internal/testidp"
	"example.org/library/internal/testkit"
)

var peers = flag.Bool("peers", false, "compare with Fastify and PocketBase, which are fetched from the registries")

const peerBooks = 1000

// TestComparedWithPeers runs all of them in turns.
func TestComparedWithPeers(t *testing.T) {
	if !*peers {
		t.Skip("only with -peers: it fetches other programs")
	}
	idp := testidp.New(t)
	all := append([]*contender{ourPeer(t, idp)}, otherPeers(t, idp, peerBooks, generated)...)
	all = append(all, pocketBase(t, "PocketBase, FULL", "FULL", peerBooks, generated))
	compareServices(t, "list of 20 books", 0, conns, func(s *contender) newWorker { return s.asker(t, s.list) }, all...)
	compareServices(t, "one book", 0, conns, func(s *contender) newWorker { return s.asker(t, s.one) }, all...)
	compareLending(t, "sqlite", 0, append(all, fastifyAlike(t, idp))...)
	for _, s := range all {
		t.Logf("%-24s starts in %v, has %d MB", s.name, s.started.Round(time.Millisecond), residentMB(t, s.pids[0]))
	}
}

// otherPeers are Fastify and PocketBase, as they are shipped.
func otherPeers(t *testing.T, idp *testidp.Provider, books int, generated func(int) library.Book) []*contender {
	t.Helper()
	return []*contender{fastify(t, idp, books, generated), pocketBase(t, "PocketBase", "NORMAL", books, generated)}
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

func ourPeer(t *testing.T, idp *testidp.Provider) *contender {
	t.Helper()
	database := databases["sqlite"](t)
	addBooks(t, database, peerBooks)
	addReaders(t, database, conns)
	pid, addr, took := startTwice(t, func() *exec.Cmd { return program(database, idp) })
	s := tokenService(t, "the program", pid, addr, idp).on(t, database)
	s.started = took
	return s
}

// libraryFile has the readers and books that peers are filled with.
func libraryFile(t *testing.T, books int, generated func(int) library.Book) string {
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
	for i := range books {
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

// fastify reads its key once, and remembers the tokens that it has verified.
func fastify(t *testing.T, idp *testidp.Provider, books int, generated func(int) library.Book) *contender {
	t.Helper()
	if _, err := os.Stat("peers/fastify/node_modules"); err != nil { // it compiles for minutes
		run(t, "peers/fastify", "npm", "ci", "--no-audit", "--no-fund")
	}
	dir, file := t.TempDir(), libraryFile(t, books, generated)
	database := filepath.Join(dir, "library.db")
	pemFile := keyFile(t, idp)
	pid, addr, took := startTwice(t, func() *exec.Cmd { return node(database, pemFile, idp.Issuer(), file) })
	s := tokenService(t, "Fastify", pid, addr, idp)
	s.started, s.log = took, openSQLiteLog(t, database)
	return s
}

// fastifyAlike writes the records of the program, in tables of the program.
func fastifyAlike(t *testing.T, idp *testidp.Provider) *contender {
	t.Helper()
	database := databases["sqlite"](t)
	addBooks(t, database, peerBooks)
	addReaders(t, database, conns)
	path := strings.TrimPrefix(database, "sqlite:")
	cmd := node(path, keyFile(t, idp), idp.Issuer())
	s := tokenService(t, "Fastify, the same work", 0, start(t, cmd), idp)
	s.pids, s.log = []int{cmd.Process.Pid}, openSQLiteLog(t, path)
	return s
}

func node(args ...string) *exec.Cmd {
	cmd := exec.Command("node", append([]string{"server.js"}, args...)...)
	cmd.Dir = "peers/fastify"
	cmd.Env = append(os.Environ(), "NODE_ENV=production")
	return cmd
}

// keyFile has the key of a provider.
func keyFile(t *testing.T, idp *testidp.Provider) string {
	t.Helper()
	key, err := x509.MarshalPKIXPublicKey(idp.PublicKey())
	testkit.NoError(t, err)
	file := filepath.Join(t.TempDir(), "key.pem")
	testkit.NoError(t, os.WriteFile(file, pem.EncodeToMemory(&pem.Block{Type: "PUBLIC KEY", Bytes: key}), 0o600))
	return file
}

// pocketBase syncs its log with each commit if synchronous is FULL. As it is shipped, NORMAL, it
// does so at times.
func pocketBase(t *testing.T, name, synchronous string, books int, generated func(int) library.Book) *contender {
	t.Helper()
	dir, file := t.TempDir(), libraryFile(t, books, generated)
	binary, data, who := filepath.Join(dir, "pocketbase"), filepath.Join(dir, "data"), filepath.Join(dir, "who.json")
	run(t, "peers/pocketbase", "go", "build", "-o", binary, ".")
	_, port, _ := net.SplitHostPort(testkit.FreeAddress(t))
	pid, addr, took := startTwice(t, func() *exec.Cmd { return exec.Command(binary, data, port, file, who, synchronous) })
	var made struct{ Tokens, Books []string }
	text, err := os.ReadFile(who)
	if err == nil {
		err = json.Unmarshal(text, &made)
	}
	testkit.NoError(t, err)
	const records = "/api/collections/books/records"
	s := &contender{
		name: name, pids: []int{pid}, addrs: []string{addr}, started: took,
		list:     request("GET", records+"?perPage=20&sort=title", made.Tokens[0]),
		one:      request("GET", records+"/"+made.Books[0], made.Tokens[0]),
		borrow:   func(i int) []byte { return request("POST", "/books/"+made.Books[i]+"/borrow", made.Tokens[i]) },
		giveBack: func(i int) []byte { return request("POST", "/books/"+made.Books[i]+"/return", made.Tokens[i]) },
	}
	s.log = openSQLiteLog(t, filepath.Join(data, "data.db"))
	return s
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
