package acme

import (
	"bytes"
	"crypto/tls"
	"crypto/x509"
	"encoding/pem"
	"errors"
	"fmt"
	"io"
	"log"
	"math/rand/v2"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/letsencrypt/challtestsrv"
	"github.com/letsencrypt/pebble/v2/ca"
	"github.com/letsencrypt/pebble/v2/db"
	"github.com/letsencrypt/pebble/v2/va"
	"github.com/letsencrypt/pebble/v2/wfe"
)

const (
	host    = "library.example.org"
	timeout = time.Minute
)

// binary is the program under test.
var binary string

func TestMain(m *testing.M) {
	dir, err := os.MkdirTemp("", "library-acme-")
	if err != nil {
		panic(err)
	}
	binary = filepath.Join(dir, "library")
	build := exec.Command("go", "build", "-o", binary, "./cmd/library")
	build.Dir = "../.."
	if out, err := build.CombinedOutput(); err != nil {
		panic("the program does not build: " + string(out))
	}
	// Pebble is slow and refuses things at random by default, so that clients learn to retry.
	os.Setenv("PEBBLE_VA_NOSLEEP", "1")
	os.Setenv("PEBBLE_WFE_NONCEREJECT", "0")
	code := m.Run()
	os.RemoveAll(dir)
	os.Exit(code)
}

// authority is Pebble, which believes that every name is this machine.
type authority struct {
	server *httptest.Server
	root   *x509.CertPool
	trust  string // file with the certificate of its own address
}

func newAuthority(t *testing.T, port int) *authority {
	t.Helper()
	quiet := log.New(io.Discard, "", 0)
	dns := freeAddress(t)
	names, err := challtestsrv.New(challtestsrv.Config{DNSAddrs: []string{dns}, Log: quiet})
	if err != nil {
		t.Fatal(err)
	}
	names.SetDefaultDNSIPv4("127.0.0.1")
	names.SetDefaultDNSIPv6("")
	go names.Run()
	t.Cleanup(names.Shutdown)
	store := db.NewMemoryStore()
	signer := ca.New(quiet, store, "", "ecdsa", 0, 1, map[string]ca.Profile{"default": {Description: "the usual"}})
	front := wfe.New(quiet, store, va.New(quiet, 1, port, false, dns, store), signer, []string{"pebble.example.org"}, false, false, 1, 1)
	a := &authority{server: httptest.NewTLSServer(front.Handler()), root: x509.NewCertPool(), trust: filepath.Join(t.TempDir(), "authority.pem")}
	t.Cleanup(a.server.Close)
	a.root.AddCert(signer.GetRootCert(0).Cert)
	own := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: a.server.Certificate().Raw})
	if err := os.WriteFile(a.trust, own, 0o600); err != nil {
		t.Fatal(err)
	}
	return a
}

// freeAddress is outside the ports that the kernel gives away by itself, so that nobody
// gets it until the program listens there.
func freeAddress(t *testing.T) string {
	t.Helper()
	for {
		address := fmt.Sprint("127.0.0.1:", 10000+rand.IntN(20000))
		l, err := net.Listen("tcp", address)
		if errors.Is(err, syscall.EADDRINUSE) {
			continue
		}
		if err != nil {
			t.Fatal(err)
		}
		l.Close()
		return address
	}
}

// program is a running `library serve --acme`.
type program struct {
	t    *testing.T
	cmd  *exec.Cmd
	addr string
	mu   sync.Mutex
	log  bytes.Buffer
}

func (p *program) Write(b []byte) (int, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.log.Write(b)
}

func (p *program) said() string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.log.String()
}

func start(t *testing.T, a *authority, addr, folder string, more ...string) *program {
	t.Helper()
	p := &program{t: t, addr: addr}
	p.cmd = exec.Command(binary, append([]string{"serve", "--addr", addr, "--management-addr", "127.0.0.1:0", "--issuer", "http://127.0.0.1:1/",
		"--database", "sqlite:" + filepath.Join(folder, "library.db"), "--drain", "0s",
		"--acme", host, "--acme-cache", filepath.Join(folder, "acme"), "--acme-directory", a.server.URL + "/dir"}, more...)...)
	p.cmd.Env = []string{"SSL_CERT_FILE=" + a.trust, "SSL_CERT_DIR=/nowhere", "HOME=" + folder}
	p.cmd.Dir, p.cmd.Stdout, p.cmd.Stderr = folder, p, p
	if err := p.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(p.stop)
	return p
}

func (p *program) stop() {
	if p.cmd.ProcessState == nil {
		p.cmd.Process.Kill()
		p.cmd.Wait()
	}
	if p.t.Failed() {
		p.t.Log(p.said())
	}
}

func (p *program) await(text string) {
	p.t.Helper()
	for deadline := time.Now().Add(timeout); !strings.Contains(p.said(), text); time.Sleep(10 * time.Millisecond) {
		if time.Now().After(deadline) {
			p.t.Fatalf("it does not say %q:\n%s", text, p.said())
		}
	}
}

// get asks for a page at an address, under the name of the host.
func get(a *authority, addr, path string) (*http.Response, error) {
	client := &http.Client{Timeout: timeout, Transport: &http.Transport{
		DisableKeepAlives: true, ForceAttemptHTTP2: true,
		TLSClientConfig: &tls.Config{RootCAs: a.root, ServerName: host},
	}}
	resp, err := client.Get("https://" + addr + path)
	if err == nil {
		resp.Body.Close()
	}
	return resp, err
}

func TestACertificateIsObtainedAndKept(t *testing.T) {
	t.Parallel()
	addr := freeAddress(t)
	_, text, _ := net.SplitHostPort(addr)
	port, _ := strconv.Atoi(text)
	a := newAuthority(t, port)
	folder := t.TempDir()
	web := freeAddress(t)
	p := start(t, a, addr, folder, "--web", "--web-addr", web)
	p.await("msg=certificate host=" + host)
	resp, err := get(a, addr, "/library-server/books")
	if err != nil || resp.StatusCode != 401 || resp.Header.Get("Strict-Transport-Security") == "" || resp.ProtoMajor != 2 {
		t.Fatalf("%v %v", resp, err)
	}
	if resp, err := get(a, web, "/"); err != nil || resp.Header.Get("Strict-Transport-Security") == "" {
		t.Errorf("the browser client: %v %v", resp, err)
	}
	t.Run("other names are refused", func(t *testing.T) {
		for _, name := range []string{"other.example.org", "", "127.0.0.1"} {
			conn, err := tls.Dial("tcp", addr, &tls.Config{InsecureSkipVerify: true, ServerName: name})
			if err == nil {
				conn.Close()
				t.Errorf("%q has a certificate", name)
			}
		}
	})
	t.Run("the keys are for their owner alone", func(t *testing.T) {
		files, err := filepath.Glob(filepath.Join(folder, "acme", "*"))
		if err != nil || len(files) == 0 {
			t.Fatal(files, err)
		}
		for _, path := range files {
			if info, err := os.Stat(path); err != nil || info.Mode().Perm() != 0o600 {
				t.Errorf("%s: %v %v", path, info.Mode(), err)
			}
		}
	})
	p.stop()
	a.server.Close() // the authority is gone, and the certificate is still there
	again := start(t, a, addr, folder)
	again.await("msg=certificate host=" + host)
	if resp, err := get(a, addr, "/library-server/books"); err != nil || resp.StatusCode != 401 {
		t.Errorf("after a restart: %v %v", resp, err)
	}
}

func TestWithoutACertificateConnectionsAreRefusedAtOnce(t *testing.T) {
	t.Parallel()
	addr := freeAddress(t)
	a := newAuthority(t, 1) // it looks for us where nobody is
	p := start(t, a, addr, t.TempDir())
	p.await("msg=listening")
	began := time.Now()
	if _, err := get(a, addr, "/"); err == nil {
		t.Error("there is a certificate")
	}
	if took := time.Since(began); took > timeout/2 {
		t.Errorf("it took %v", took)
	}
	p.await(`msg="no certificate; it is tried again"`)
}
