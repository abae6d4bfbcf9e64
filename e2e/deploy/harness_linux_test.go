package deploy

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"flag"
	"fmt"
	"math/big"
	mathrand "math/rand/v2"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"example.org/library/internal/pgtest"
	"example.org/library/internal/testidp"
	"example.org/library/internal/testkit"
)

var binary string

func TestMain(m *testing.M) {
	flag.Parse()
	flag.Set("test.parallel", "6") // nearly all of it is waiting
	os.Exit(testkit.WithProgram(func(path string) int {
		binary = path
		return m.Run()
	}))
}

const (
	basePath = "/library-server"
	hostName = "library.example.org" // as in the examples
)

// network is a piece of the loopback interface, 127.x.y.0/24, in which machines have
// the last numbers that they have in the examples: so only the beginning of each
// address changes.
type network string

// newNetwork finds one that nobody uses.
func newNetwork(t *testing.T) network {
	t.Helper()
	for range 100 {
		n := network(fmt.Sprintf("127.%d.%d", 1+mathrand.IntN(250), 1+mathrand.IntN(250)))
		l, err := net.Listen("tcp", n.at("11:9091"))
		if err == nil {
			l.Close()
			return n
		}
	}
	t.Fatal("there is no free network")
	return ""
}

// at is the address of a machine and port.
func (n network) at(rest string) string { return string(n) + "." + rest }

// example is the text of a file in deploy/ with other addresses, paths or time-outs.
// Each that is replaced must be there.
func example(t *testing.T, path string, replace ...string) string {
	t.Helper()
	raw, err := os.ReadFile(filepath.Join("../../deploy", path))
	testkit.NoError(t, err)
	text := string(raw)
	for i := 0; i < len(replace); i += 2 {
		if !strings.Contains(text, replace[i]) {
			t.Fatalf("%s has no %q in it", path, replace[i])
		}
		text = strings.ReplaceAll(text, replace[i], replace[i+1])
	}
	return text
}

func write(t *testing.T, dir, name, text string) string {
	t.Helper()
	path := filepath.Join(dir, name)
	testkit.NoError(t, os.WriteFile(path, []byte(text), 0o600))
	return path
}

// program is a program of Debian's. A test never goes without it.
func program(t *testing.T, name string) string {
	t.Helper()
	for _, dir := range []string{"", "/usr/sbin/", "/sbin/"} {
		if path, err := exec.LookPath(dir + name); err == nil {
			return path
		}
	}
	t.Fatalf("%s is not installed; make deps installs it", name)
	return ""
}

// copies are three of the library on one database, on machines 11, 12 and 13.
type copies struct {
	t        *testing.T
	network  network
	idp      *testidp.Provider
	database string
	running  map[string]*testkit.Process
}

var machines = []string{"11", "12", "13"}

func startCopies(t *testing.T) *copies {
	t.Helper()
	c := &copies{
		t: t, network: newNetwork(t), idp: testidp.New(t), database: pgtest.URL(t),
		running: make(map[string]*testkit.Process),
	}
	for _, machine := range machines {
		c.start(machine)
	}
	t.Cleanup(func() {
		if t.Failed() {
			for machine, p := range c.running {
				t.Logf("log of copy %s (its end):\n%s", machine, p.LogEnd())
			}
		}
	})
	return c
}

var listening = regexp.MustCompile(`msg=listening addr=([0-9.:]+)`)

// start starts a copy with the ports that are the default.
func (c *copies) start(machine string) {
	c.t.Helper()
	cmd := exec.Command(binary, "serve", "--issuer", c.idp.Issuer(), "--database", c.database, "--sample-data",
		"--addr", c.network.at(machine+":9091"), "--management-addr", c.network.at(machine+":9092"),
		"--web", "--web-addr", c.network.at(machine+":9091"), "--web-api", "https://"+hostName+basePath, "--client-origin", hostName)
	cmd.Dir = c.t.TempDir()
	cmd.Env = []string{"HOME=" + cmd.Dir}
	c.running[machine] = testkit.Start(c.t, cmd)
	c.running[machine].AwaitLog(c.t, listening)
	c.running[machine].AwaitOpen(c.t)
}

// newCertificate makes a certificate for the name in the examples and returns both
// of its files, one with both in it, and what a client needs to trust it.
func newCertificate(t *testing.T) (cert, key, both string, config *tls.Config) {
	t.Helper()
	private, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	testkit.NoError(t, err)
	template := &x509.Certificate{
		SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: hostName}, DNSNames: []string{hostName},
		NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour), IsCA: true, BasicConstraintsValid: true,
	}
	der, err := x509.CreateCertificate(rand.Reader, template, template, &private.PublicKey, private)
	testkit.NoError(t, err)
	keyDER, err := x509.MarshalPKCS8PrivateKey(private)
	testkit.NoError(t, err)
	certPEM := string(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der}))
	keyPEM := string(pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: keyDER}))
	roots := x509.NewCertPool()
	roots.AppendCertsFromPEM([]byte(certPEM))
	dir := t.TempDir()
	return write(t, dir, "cert.pem", certPEM), write(t, dir, "key.pem", keyPEM), write(t, dir, "both.pem", certPEM+keyPEM),
		&tls.Config{RootCAs: roots, MinVersion: tls.VersionTLS12}
}
