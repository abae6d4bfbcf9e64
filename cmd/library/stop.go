package main

import (
	"context"
	"errors"
	"log/slog"
	"net"
	"net/http"
	"time"

	"golang.org/x/sync/errgroup"

	"example.org/library/internal/httpserver"
)

// serving is a server and where it listens.
type serving struct {
	server   *httpserver.Server
	listener net.Listener
}

func (s serving) run() error {
	err := s.server.Serve(s.listener)
	if errors.Is(err, http.ErrServerClosed) {
		return nil
	}
	return err
}

// shutdownTimeout is how long requests in flight may take when we stop.
const shutdownTimeout = 15 * time.Second

// serveUntil serves until ctx ends, then stops taking connections, lets the
// requests in flight finish and returns.
func serveUntil(ctx context.Context, log *slog.Logger, all ...serving) error {
	group, groupCtx := errgroup.WithContext(ctx)
	for _, s := range all {
		group.Go(s.run)
	}
	<-groupCtx.Done()
	log.Info("stopping")
	deadline, cancel := context.WithTimeout(context.Background(), shutdownTimeout)
	defer cancel()
	for _, s := range all {
		if err := s.server.Shutdown(deadline); err != nil {
			log.Warn("requests were cut off after the time-out", "timeout", shutdownTimeout)
			s.server.Close()
		}
	}
	err := group.Wait()
	log.Info("stopped")
	return err
}
