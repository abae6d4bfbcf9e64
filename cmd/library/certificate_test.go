package main

import (
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"encoding/pem"
	"log/slog"
	"math/big"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"example.org/library/internal/testkit"
)

// newPair is a certificate with that number, and its key.
func newPair(t *testing.T, number int64) (cert, key []byte) {
	t.Helper()
	private, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	testkit.NoError(t, err)
	template := &x509.Certificate{SerialNumber: big.NewInt(number), NotAfter: time.Now().Add(time.Hour)}
	der, err := x509.CreateCertificate(rand.Reader, template, template, &private.PublicKey, private)
	testkit.NoError(t, err)
	keyDER, err := x509.MarshalPKCS8PrivateKey(private)
	testkit.NoError(t, err)
	return pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der}), pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: keyDER})
}

// put replaces a file at once, as programs do that renew certificates.
func put(t *testing.T, path string, data []byte) {
	t.Helper()
	testkit.NoError(t, os.WriteFile(path+".new", data, 0o600))
	testkit.NoError(t, os.Rename(path+".new", path))
}

func numberOf(t *testing.T, c *tls.Certificate) int64 {
	t.Helper()
	leaf, err := x509.ParseCertificate(c.Certificate[0])
	testkit.NoError(t, err)
	return leaf.SerialNumber.Int64()
}

func TestACertificateIsReadAgainWhenItChanges(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	certFile, keyFile := filepath.Join(dir, "cert.pem"), filepath.Join(dir, "key.pem")
	cert, key := newPair(t, 1)
	put(t, certFile, cert)
	put(t, keyFile, key)
	c, err := openCertificate(certFile, keyFile)
	testkit.NoError(t, err)
	var log testkit.Buffer
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	go c.watch(ctx, slog.New(slog.NewTextHandler(&log, nil)), 10*time.Millisecond)

	cert, key = newPair(t, 2)
	put(t, certFile, cert) // its key is not there yet
	testkit.Eventually(t, "a pair that stays half is complained of", func() bool { return strings.Contains(log.String(), "level=ERROR") })
	time.Sleep(50 * time.Millisecond)
	if n := numberOf(t, c.current.Load()); n != 1 || strings.Count(log.String(), "level=ERROR") != 1 {
		t.Errorf("certificate %d is in use; %s", n, log.String())
	}
	put(t, keyFile, key)
	testkit.Eventually(t, "the new one is in use", func() bool { return numberOf(t, c.current.Load()) == 2 })

	testkit.NoError(t, os.Remove(keyFile))
	testkit.Eventually(t, "a file that is gone is complained of", func() bool { return strings.Count(log.String(), "level=ERROR") == 2 })
	cert, key = newPair(t, 3)
	put(t, keyFile, key)
	put(t, certFile, cert)
	testkit.Eventually(t, "the third is in use", func() bool { return numberOf(t, c.current.Load()) == 3 })
}

// TestALinkThatLeadsElsewhereIsAChange is how Kubernetes replaces files: one link
// in the middle of both paths.
func TestALinkThatLeadsElsewhereIsAChange(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	for number, folder := range []string{"old", "new"} {
		cert, key := newPair(t, int64(number))
		testkit.NoError(t, os.Mkdir(filepath.Join(dir, folder), 0o700))
		put(t, filepath.Join(dir, folder, "tls.crt"), cert)
		put(t, filepath.Join(dir, folder, "tls.key"), key)
	}
	link := filepath.Join(dir, "data")
	testkit.NoError(t, os.Symlink("old", link))
	c, err := openCertificate(filepath.Join(link, "tls.crt"), filepath.Join(link, "tls.key"))
	testkit.NoError(t, err)
	var log testkit.Buffer
	go c.watch(t.Context(), slog.New(slog.NewTextHandler(&log, nil)), 10*time.Millisecond)
	testkit.NoError(t, os.Symlink("new", link+".new"))
	testkit.NoError(t, os.Rename(link+".new", link))
	testkit.Eventually(t, "the new one is in use", func() bool { return numberOf(t, c.current.Load()) == 1 })
	if strings.Contains(log.String(), "level=ERROR") {
		t.Error(log.String())
	}
}
