package main

import (
	"crypto/tls"
	"fmt"
	"log/slog"
	"os"
	"os/signal"
	"sync/atomic"
	"syscall"
)

// reread is a file in use that can be read again.
type reread struct {
	what string
	read func() error // if it fails, what was read before stays in force
}

// rereadOnHangup reads files again when an operator asks for it with SIGHUP.
// Connections and requests in flight go on.
func rereadOnHangup(log *slog.Logger, files []reread) (stop func()) {
	signals := make(chan os.Signal, 1)
	signal.Notify(signals, syscall.SIGHUP)
	go func() {
		for range signals {
			if len(files) == 0 {
				log.Info("SIGHUP: there is no certificate and no password file to read again")
			}
			for _, f := range files {
				if err := f.read(); err != nil {
					log.Error("cannot be used; the one before stays in force", "file", f.what, "error", err)
				} else {
					log.Info("read again", "file", f.what)
				}
			}
		}
	}()
	return func() { signal.Stop(signals); close(signals) }
}

// certificate is that of the API, which can be read again while it is in use.
type certificate struct {
	certFile, keyFile string
	current           atomic.Pointer[tls.Certificate]
}

// openCertificate reads the files. It returns nil for no files.
func openCertificate(certFile, keyFile string) (*certificate, error) {
	if certFile == "" {
		return nil, nil
	}
	c := &certificate{certFile: certFile, keyFile: keyFile}
	return c, c.read()
}

// read reads the files. If they cannot be used, what was read before stays.
func (c *certificate) read() error {
	pair, err := tls.LoadX509KeyPair(c.certFile, c.keyFile)
	if err != nil {
		return fmt.Errorf("--tls-cert, --tls-key: %w", err)
	}
	c.current.Store(&pair)
	return nil
}
