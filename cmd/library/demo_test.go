package main

import (
	"context"
	"log/slog"
	"net"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"example.org/library/internal/testkit"
)

// TestADemonstrationSaysThatItRunsOnceItsDatabaseIsOpen: on a slow machine its callers
// get 503 before, and a newcomer who pastes the first line must not.
func TestADemonstrationSaysThatItRunsOnceItsDatabaseIsOpen(t *testing.T) {
	t.Parallel()
	silent, err := net.Listen("tcp", "127.0.0.1:0") // a database that takes long to open
	testkit.NoError(t, err)
	defer silent.Close()
	management, err := net.Listen("tcp", "127.0.0.1:0")
	testkit.NoError(t, err)
	d, err := bindDemo("0")
	testkit.NoError(t, err)
	defer d.close()
	d.folder = t.TempDir()
	cfg, err := d.serveConfig("")
	testkit.NoError(t, err)
	cfg.database = "postgres://u@" + silent.Addr().String() + "/library?sslmode=disable"

	var log testkit.Buffer
	var welcomed atomic.Bool
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() {
		on := listeners{api: d.api, web: d.web, management: management}
		ended <- serveOn(ctx, cfg, newLogs(&log, "text", slog.LevelInfo), on, func() { welcomed.Store(true) })
	}()
	testkit.Eventually(t, "callers are answered that it is being opened", func() bool { return strings.Contains(log.String(), "msg=listening") })
	time.Sleep(100 * time.Millisecond)
	if welcomed.Load() {
		t.Error("it says that it runs before it can answer")
	}
	cancel()
	<-ended
}
