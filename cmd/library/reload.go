package main

import (
	"log/slog"
	"os"
	"os/signal"
	"syscall"
)

// reloadableFile is one in use that can be read again.
type reloadableFile struct {
	what string
	read func() error // if it fails, what was read before stays in force
}

// reloadOnHangup reads files again when an operator asks for it with SIGHUP.
// Connections and requests in flight go on.
func reloadOnHangup(log *slog.Logger, files []reloadableFile) (stop func()) {
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
