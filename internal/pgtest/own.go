package pgtest

import (
	"context"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
)

// Cluster is the server of one test. The test may break it: stop and start it,
// freeze it, or let a standby take over. Commits outlive any end of the server.
type Cluster struct{ *cluster }

// Own starts a server, until the end of the test.
func Own(t testing.TB) *Cluster {
	t.Helper()
	c, err := start(crashSafe)
	if err != nil {
		t.Fatalf("pgtest: %v", err)
	}
	return (&Cluster{c}).until(t)
}

// until removes the cluster at the end of the test.
func (c *Cluster) until(t testing.TB) *Cluster {
	t.Cleanup(func() {
		c.Thaw(t)
		c.signal(syscall.SIGQUIT)
		if t.Failed() {
			t.Logf("log of the server (its end):\n%s", c.log())
		}
		c.alive.Close() // the watchdog sees to the rest
	})
	return c
}

// Database makes a database and returns its address. It lasts as long as the cluster.
func (c *Cluster) Database(t testing.TB, name string) string {
	t.Helper()
	c.Exec(t, createDatabase(name, usualLocale, c.icu))
	return c.DatabaseURL(name)
}

// DatabaseURL returns the address of a database made here, or on the primary of
// this server.
func (c *Cluster) DatabaseURL(name string) string { return c.url(testUser, name) }

// Addr returns the host and port of the server.
func (c *Cluster) Addr() string { return net.JoinHostPort("127.0.0.1", strconv.Itoa(c.port)) }

// AdminURL returns the address of a database for the superuser.
func (c *Cluster) AdminURL(database string) string { return c.url(superUser, database) }

// Exec runs one statement as superuser.
func (c *Cluster) Exec(t testing.TB, text string) {
	t.Helper()
	if err := c.admin(text); err != nil {
		t.Fatalf("pgtest: %s: %v", text, err)
	}
}

// Owner returns the user of the server's processes, nil for the current one. Other
// programs that refuse to run as root can use it, too.
func (c *Cluster) Owner() *syscall.Credential { return c.owner }

// Folder makes a folder beside the data, of the same owner. It goes away with the
// cluster.
func (c *Cluster) Folder(t testing.TB, name string) string {
	t.Helper()
	dir := filepath.Join(c.dir, name)
	err := os.Mkdir(dir, 0o700)
	if err == nil && c.owner != nil {
		err = os.Chown(dir, int(c.owner.Uid), int(c.owner.Gid))
	}
	if err != nil {
		t.Fatalf("pgtest: %v", err)
	}
	return dir
}

// Shutdown is a way to stop a server.
type Shutdown syscall.Signal

const (
	Fast      = Shutdown(syscall.SIGINT)  // sessions are ended, all is written down
	Immediate = Shutdown(syscall.SIGQUIT) // like a crash
)

// Stop stops the server and waits until it is gone.
func (c *Cluster) Stop(t testing.TB, how Shutdown) {
	t.Helper()
	c.signal(syscall.Signal(how))
	select {
	case <-c.exited:
	case <-time.After(startTimeout):
		t.Fatalf("pgtest: the server does not stop\n%s", c.log())
	}
}

// Start starts the server again, on the same port.
func (c *Cluster) Start(t testing.TB) {
	t.Helper()
	if err := c.serveOnce(); err != nil {
		t.Fatalf("pgtest: %v\nlog of the server:\n%s", err, c.log())
	}
}

// Freeze stops every process of the server where it stands: connections stay
// open, new ones are taken by the kernel, and nobody answers.
func (c *Cluster) Freeze(t testing.TB) {
	t.Helper()
	if c.signal(syscall.SIGSTOP); len(c.processes()) < 2 {
		t.Fatal("pgtest: there is nothing to freeze")
	}
	// The postmaster can start no more of them now.
	for _, pid := range c.processes() {
		syscall.Kill(pid, syscall.SIGSTOP)
	}
}

// Thaw lets the server go on after Freeze.
func (c *Cluster) Thaw(testing.TB) {
	for _, pid := range c.processes() {
		syscall.Kill(pid, syscall.SIGCONT)
	}
}

// Standby starts a second server that follows this one. From then on, a commit here
// waits until the standby has written it.
func (c *Cluster) Standby(t testing.TB) *Cluster {
	t.Helper()
	fresh, err := newCluster(c.kept)
	if err != nil {
		t.Fatalf("pgtest: %v", err)
	}
	fresh.password, fresh.icu = c.password, c.icu
	standby := (&Cluster{fresh}).until(t)
	source := fmt.Sprintf("host=127.0.0.1 port=%d user=%s application_name=standby", c.port, superUser)
	standby.run(t, "pg_basebackup", "--pgdata=data", "--write-recovery-conf", "--checkpoint=fast", "--no-sync", "--dbname="+source)
	if err := standby.serve(); err != nil {
		t.Fatalf("pgtest: %v\nlog of the server:\n%s", err, standby.log())
	}
	c.Exec(t, `ALTER SYSTEM SET synchronous_standby_names = 'standby'`)
	c.Exec(t, `SELECT pg_reload_conf()`)
	c.awaitSync(t)
	return standby
}

// awaitSync waits until a standby confirms commits.
func (c *Cluster) awaitSync(t testing.TB) {
	t.Helper()
	for deadline := time.Now().Add(startTimeout); time.Now().Before(deadline); time.Sleep(50 * time.Millisecond) {
		var n int
		err := c.asAdmin(func(ctx context.Context, conn *pgx.Conn) error {
			return conn.QueryRow(ctx, `SELECT count(*) FROM pg_stat_replication WHERE sync_state = 'sync'`).Scan(&n)
		})
		if err == nil && n == 1 {
			return
		}
	}
	t.Fatalf("pgtest: the standby does not follow\n%s", c.log())
}

// Promote makes a standby a server of its own, without a standby.
func (c *Cluster) Promote(t testing.TB) {
	t.Helper()
	c.run(t, "pg_ctl", "promote", "--pgdata=data", "--wait")
}

// run runs a program of the server's package to its end.
func (c *Cluster) run(t testing.TB, name string, args ...string) {
	t.Helper()
	cmd := c.command(name, args...)
	cmd.Env = append(cmd.Env, "PGPASSWORD="+c.password)
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("pgtest: %s: %v\n%s", name, err, out)
	}
}

// signal sends a signal to the postmaster, if there is one.
func (c *Cluster) signal(sig syscall.Signal) {
	if pid := c.pid(); pid > 0 {
		syscall.Kill(pid, sig)
	}
}

// pid returns the pid of the postmaster, 0 if there is none.
func (c *Cluster) pid() int {
	text, err := os.ReadFile(filepath.Join(c.dir, "data", "postmaster.pid"))
	if err != nil {
		return 0
	}
	first, _, _ := strings.Cut(string(text), "\n")
	pid, _ := strconv.Atoi(first)
	return pid
}

// processes returns the processes of the server: they work in its data folder.
func (c *Cluster) processes() (found []int) {
	entries, err := filepath.Glob("/proc/[0-9]*/cwd")
	if err != nil {
		return nil
	}
	for _, entry := range entries {
		if dir, err := os.Readlink(entry); err == nil && dir == filepath.Join(c.dir, "data") {
			pid, _ := strconv.Atoi(filepath.Base(filepath.Dir(entry)))
			found = append(found, pid)
		}
	}
	return found
}
