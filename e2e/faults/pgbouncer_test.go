package faults

import (
	"fmt"
	"net"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"example.org/library/internal/pgtest"
	"example.org/library/internal/testkit"
)

// pgbouncerConfig is Debian's, but for addresses and folders, that sessions are
// shared, so that after each transaction another client may have one, and that a
// server that was away is asked again after one second and not after fifteen.
const pgbouncerConfig = `
[databases]
* = host=127.0.0.1 port=%s
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = %s
unix_socket_dir =
auth_type = scram-sha-256
auth_file = %s
pool_mode = transaction
max_client_conn = 200
default_pool_size = 20
server_login_retry = 1
`

// startPgBouncer starts a pooler before a database and returns the address of the
// database behind it. It refuses to run as root, so it runs as the cluster does.
func startPgBouncer(t testing.TB, c *pgtest.Cluster, database string) string {
	t.Helper()
	u, err := url.Parse(database)
	if err != nil {
		t.Fatal(err)
	}
	dir := c.Folder(t, "pgbouncer")
	write := func(name, text string) string {
		t.Helper()
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		return path
	}
	addr := freeAddr(t)
	_, port, _ := net.SplitHostPort(addr)
	password, _ := u.User.Password()
	users := write("users", fmt.Sprintf("%q %q\n", u.User.Username(), password))
	config := write("pgbouncer.ini", fmt.Sprintf(pgbouncerConfig, u.Port(), port, users))
	cmd := exec.Command(find(t, "pgbouncer"), config)
	p := testkit.StartAs(t, cmd, c.Owner())
	testkit.Eventually(t, "PgBouncer listens", func() bool {
		conn, err := net.Dial("tcp", addr)
		if err == nil {
			conn.Close()
		}
		return err == nil
	})
	t.Cleanup(func() {
		if t.Failed() {
			t.Logf("log of PgBouncer (its end):\n%s", p.LogEnd())
		}
	})
	u.Host = addr
	return u.String()
}

// TestPgBouncerInTransactionModeIsEnough starts, migrates, lends and restarts
// through a pooler that gives each transaction another session.
func TestPgBouncerInTransactionModeIsEnough(t *testing.T) {
	cluster := pgtest.Own(t)
	direct := cluster.Database(t, "library")
	l := open(t, startPgBouncer(t, cluster, direct), 2)
	l.direct = direct
	c := l.gather(t)
	time.Sleep(pause)
	for range 2 {
		migrate := program(t, "migrate", "--database", l.database)
		if out, err := migrate.CombinedOutput(); err != nil {
			t.Fatalf("library migrate: %v\n%s", err, out)
		}
	}
	const restarts = 4
	began := time.Now()
	for range restarts {
		s := l.start(t)
		s.awaitReady(t)
		s.signal(t, syscall.SIGINT)
		if code := s.awaitExit(t); code != 0 {
			t.Errorf("exit code %d", code)
		}
	}
	took := time.Since(began) / restarts
	cluster.Stop(t, pgtest.Fast)
	cluster.Start(t)
	time.Sleep(2 * pause)
	h := c.end()
	h.figures(t, "PgBouncer, transaction mode")
	t.Logf("a start and stop took %v on average", took.Round(time.Millisecond))
	h.verify(t)
	for _, s := range l.servers {
		s.signal(t, syscall.SIGINT)
		s.awaitExit(t)
		for _, complaint := range []string{"prepared statement", "unsupported startup parameter"} {
			if strings.Contains(s.Log.String(), complaint) {
				t.Errorf("the log says: %s", complaint)
			}
		}
	}
	var locks int
	if err := openSQL(t, cluster.AdminURL("library")).QueryRow(`SELECT count(*) FROM pg_locks WHERE locktype = 'advisory'`).Scan(&locks); err != nil {
		t.Fatal(err)
	}
	if locks != 0 {
		t.Errorf("%d locks are left when all processes have ended", locks)
	}
}
