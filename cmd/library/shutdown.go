package main

import (
	"context"
	"errors"
	"log/slog"
	"net"
	"net/http"
	"os"
	"os/signal"
	"syscall"
	"time"

	"github.com/spf13/cobra"
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

// stop stops taking connections and lets the requests in flight finish.
func (s serving) stop(log *slog.Logger) {
	deadline, cancel := context.WithTimeout(context.Background(), shutdownTimeout)
	defer cancel()
	if err := s.server.Shutdown(deadline); err != nil {
		log.Warn("requests were cut off after the time-out", "timeout", shutdownTimeout)
		s.server.Close()
	}
}

// shutdownTimeout is how long requests in flight may take when we stop.
const shutdownTimeout = 15 * time.Second

// drain is the time between the signal to stop and the end. In it a load balancer learns from
// /readyz to send no more requests, and requests are still answered. The zero value is none.
type drain struct {
	time  time.Duration
	begin func()          // says so, wherever that can be learned
	hurry <-chan struct{} // closed when the drain is to be skipped
}

func (d drain) run(log *slog.Logger) {
	if d.begin != nil {
		d.begin()
	}
	if d.time == 0 || isClosed(d.hurry) {
		log.Info("stopping")
		return
	}
	log.Info("stopping", "drain", d.time)
	select {
	case <-time.After(d.time):
	case <-d.hurry:
		log.Info("stopping now: a second signal ended the drain")
	}
}

func isClosed(c <-chan struct{}) bool {
	select {
	case <-c:
		return true
	default:
		return false
	}
}

// servers are the servers of one command. They begin and end together.
type servers struct {
	log   *slog.Logger
	all   []serving
	group *errgroup.Group
	asked context.Context // ends at the signal to stop
	ctx   context.Context // ends then, and when one of them fails
	begun bool
}

func newServers(ctx context.Context, log *slog.Logger, all ...serving) *servers {
	group, groupCtx := errgroup.WithContext(ctx)
	return &servers{log: log, all: all, group: group, asked: ctx, ctx: groupCtx}
}

func (s *servers) start() {
	s.begun = true
	for _, one := range s.all {
		s.group.Go(one.run)
	}
}

// serve waits until they are to stop, and stops them.
func (s *servers) serve(d drain) error {
	<-s.ctx.Done()
	if s.asked.Err() == nil {
		d.time = 0 // a server has failed
	}
	return s.stop(d)
}

// stop drains, and stops the servers one after the other, each with its requests
// in flight.
func (s *servers) stop(d drain) error {
	if !s.begun {
		return nil
	}
	d.run(s.log)
	for _, one := range s.all {
		one.stop(s.log)
	}
	err := s.group.Wait()
	s.log.Info("stopped")
	return err
}

// untilStopped makes a command that ends well when it is stopped, even while it is starting.
func untilStopped(run func(*cobra.Command) error) func(*cobra.Command) error {
	return func(cmd *cobra.Command) error {
		err := run(cmd)
		if ended := cmd.Context().Err(); ended != nil && errors.Is(err, ended) {
			return nil
		}
		return err
	}
}

// serveUntil serves until ctx ends.
func serveUntil(ctx context.Context, log *slog.Logger, all ...serving) error {
	s := newServers(ctx, log, all...)
	s.start()
	return s.serve(drain{})
}

// reloadableFile is a file in use that can be read again.
type reloadableFile struct {
	what string
	read func() error // if it fails, the previous content stays in use
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
					log.Error("reload failed; keeping the previous one", "file", f.what, "error", err)
				} else {
					log.Info("read again", "file", f.what)
				}
			}
		}
	}()
	return func() { signal.Stop(signals); close(signals) }
}
