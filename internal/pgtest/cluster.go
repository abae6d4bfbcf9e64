package pgtest

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/jackc/pgx/v5"

	"example.org/library/internal/testkit"
)

const (
	superUser = "postgres"
	testUser  = "tester"

	startTimeout = 10 * time.Minute // a test has less, and on a busy machine needs it
)

// A cluster is one running server.
type cluster struct {
	dir      string // holds data/, log and password
	port     int
	password string // of both users: other users of the machine reach the port, too
	icu      bool   // the server can sort by ICU rules
	copying  string // how it copies a template, at the end of CREATE DATABASE
	owner    *syscall.Credential
	bin      string
	alive    *os.File // write end of the watchdog's pipe, open as long as this process lives
	kept     durability
	exited   <-chan error // the end of the server
}

// durability is the promise of a cluster about committed transactions.
type durability int

const (
	careless  durability = iota // nothing is waited for: the fastest
	crashSafe                   // commits outlive the server, not the machine
	powerSafe                   // commits outlive the machine
)

var (
	fast    = sync.OnceValues(func() (*cluster, error) { return start(careless) })
	durable = sync.OnceValues(func() (*cluster, error) { return start(powerSafe) })
)

// running returns this process's server and starts it on first use.
func running(isDurable bool) (*cluster, error) {
	if isDurable {
		return durable()
	}
	return fast()
}

// start makes a cluster and waits until it takes connections.
func start(kept durability) (*cluster, error) {
	c, err := newCluster(kept)
	if err != nil {
		return nil, err
	}
	if err := c.init(); err != nil {
		return nil, err
	}
	if err := c.serve(); err != nil {
		return nil, fmt.Errorf("%w\nlog of the server:\n%s", err, c.log())
	}
	if err := c.prepare(); err != nil {
		return nil, fmt.Errorf("%w\nlog of the server:\n%s", err, c.log())
	}
	return c, nil
}

// newCluster makes the folder of a cluster, and starts its watchdog.
func newCluster(kept durability) (*cluster, error) {
	bin, err := findServer(serverGlob, exec.LookPath)
	if err != nil {
		return nil, err
	}
	owner, err := serverUser()
	if err != nil {
		return nil, err
	}
	dir, err := makeDir(owner)
	if err != nil {
		return nil, err
	}
	c := &cluster{dir: dir, password: rand.Text(), owner: owner, bin: bin, kept: kept}
	if c.alive, err = watchdog(dir); err != nil {
		return nil, errors.Join(fmt.Errorf("start watchdog: %w", err), os.RemoveAll(dir))
	}
	return c, nil
}

// watchdogScript waits for the end of its standard input, when the process at the
// other end of the pipe is gone. Then it stops the server at once and deletes its
// folder. A stopping server deletes the pid file last, so its absence is a proof
// even where nobody collects dead processes. A test may have frozen the server's
// processes: the script lets them go first.
const watchdogScript = `
trap '' HUP INT TERM
read -r _
for p in /proc/[0-9]*; do
	[ "$(readlink "$p/cwd" 2>/dev/null)" != "$1/data" ] || kill -CONT "${p#/proc/}"
done
pid=$(head -n 1 "$1/data/postmaster.pid" 2>/dev/null)
if [ -n "$pid" ]; then
	kill -QUIT "$pid"
	n=0
	while [ -e "$1/data/postmaster.pid" ] && kill -0 "$pid" && [ $n -lt 200 ]; do
		sleep 0.05
		n=$((n + 1))
	done
	[ $n -lt 200 ] || kill -KILL "$pid"
fi
rm -rf "$1" || { sleep 1; rm -rf "$1"; }
`

// watchdog starts a process to clean up after this one. No hook inside this process
// could: os.Exit, a panic, a timeout and SIGKILL run none. The watchdog has a session
// of its own, so ^C in a terminal does not reach it. It holds our standard output
// open, without writing to it, so a reader of it, such as go test, waits until
// everything is gone.
func watchdog(dir string) (*os.File, error) {
	r, w, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	defer r.Close()
	cmd := exec.Command("/bin/sh", "-c", watchdogScript, "pgtest-watchdog", dir)
	cmd.Dir = "/"
	cmd.Stdin = r
	cmd.Stdout = os.Stdout
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	if err := cmd.Start(); err != nil {
		return nil, errors.Join(err, w.Close())
	}
	return w, nil
}

// init makes the data folder.
func (c *cluster) init() error {
	pwfile := filepath.Join(c.dir, "password")
	if err := os.WriteFile(pwfile, []byte(c.password+"\n"), 0o600); err != nil {
		return err
	}
	if c.owner != nil {
		if err := os.Chown(pwfile, int(c.owner.Uid), int(c.owner.Gid)); err != nil {
			return err
		}
	}
	cmd := c.command("initdb", "--pgdata=data", "--username="+superUser, "--pwfile=password",
		"--auth=scram-sha-256", "--encoding=UTF8", "--locale=C", "--no-sync", "--no-instructions")
	var out strings.Builder
	cmd.Stdout, cmd.Stderr = &out, &out
	exited, err := startTied(cmd, syscall.SIGKILL)
	if err == nil {
		err = <-exited
	}
	if err != nil {
		return fmt.Errorf("initdb: %w\n%s", err, out.String())
	}
	return nil
}

// serve starts the server on a free port. Between choosing the port and binding
// it another program may take it; the server then gives up, and serve tries another.
func (c *cluster) serve() error {
	var err error
	for range 5 {
		if c.port, err = testkit.FreePort(); err != nil {
			return err
		}
		if err = c.serveOnce(); err == nil {
			return nil
		}
	}
	return err
}

func (c *cluster) serveOnce() error {
	log, err := os.OpenFile(c.logPath(), os.O_WRONLY|os.O_CREATE|os.O_APPEND, 0o600)
	if err != nil {
		return err
	}
	defer log.Close()
	cmd := c.command("postgres", append([]string{"-D", "data"}, settings(c.port, c.kept)...)...)
	cmd.Stdout, cmd.Stderr = log, log
	// SIGQUIT is the server's immediate shutdown.
	exited, err := startTied(cmd, syscall.SIGQUIT)
	if err != nil {
		return fmt.Errorf("start postgres: %w", err)
	}
	c.exited = exited
	deadline := time.Now().Add(startTimeout)
	for !c.ready() {
		select {
		case err := <-exited:
			return fmt.Errorf("postgres ended while starting: %v", err)
		case <-time.After(10 * time.Millisecond):
		}
		if time.Now().After(deadline) {
			return errors.Join(fmt.Errorf("postgres was not ready after %v", startTimeout), cmd.Process.Kill())
		}
	}
	return nil
}

// settings returns the server's command line.
func settings(port int, kept durability) []string {
	values := []string{
		"listen_addresses=127.0.0.1",
		fmt.Sprintf("port=%d", port),
		"unix_socket_directories=",
		"max_connections=200",
		"shared_buffers=16MB",
		"dynamic_shared_memory_type=mmap", // in the data folder, to be deleted with it
		"timezone=Asia/Kathmandu",
		"log_timezone=UTC",
	}
	if kept < powerSafe {
		values = append(values, "fsync=off", "full_page_writes=off")
	}
	if kept < crashSafe {
		values = append(values, "synchronous_commit=off")
	}
	var args []string
	for _, v := range values {
		args = append(args, "-c", v)
	}
	return args
}

// ready reports whether the server takes connections, from the eighth line of
// its pid file, as pg_ctl does. A connection would not do: it may reach another
// server that took the same port first.
func (c *cluster) ready() bool {
	text, err := os.ReadFile(filepath.Join(c.dir, "data", "postmaster.pid"))
	if err != nil {
		return false
	}
	lines := strings.Split(string(text), "\n")
	return len(lines) >= 8 && strings.TrimSpace(lines[7]) == "ready"
}

// prepare makes the user of the tests and learns the abilities of the server.
func (c *cluster) prepare() error {
	err := c.asAdmin(func(ctx context.Context, conn *pgx.Conn) error {
		if _, err := conn.Exec(ctx, "CREATE ROLE "+testUser+" LOGIN PASSWORD '"+c.password+"'"); err != nil {
			return err
		}
		const icu = `SELECT current_setting('server_version_num')::int >= 150000
			AND EXISTS (SELECT FROM pg_collation WHERE collprovider = 'i')`
		// To copy files takes half of the time of writing each page to the log, as it is done since version 15.
		const strategy = `SELECT CASE WHEN current_setting('server_version_num')::int >= 150000 THEN ' STRATEGY FILE_COPY' ELSE '' END`
		return errors.Join(conn.QueryRow(ctx, icu).Scan(&c.icu), conn.QueryRow(ctx, strategy).Scan(&c.copying))
	})
	if err != nil {
		return fmt.Errorf("prepare the server: %w", err)
	}
	return nil
}

// command returns a command of the server package, run in the cluster's folder
// by its owner, with none of our PG* and LC_* variables.
func (c *cluster) command(name string, args ...string) *exec.Cmd {
	cmd := exec.Command(filepath.Join(c.bin, name), args...)
	cmd.Dir = c.dir
	cmd.Env = []string{"PATH=" + os.Getenv("PATH"), "LC_ALL=C"}
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Credential: c.owner}
	return cmd
}

// startTied starts a command and returns a channel with its end. Where the system
// can do so, the command gets the signal when this process dies. Linux sends the
// signal when the starting thread ends, so startTied keeps this thread.
func startTied(cmd *exec.Cmd, sig syscall.Signal) (<-chan error, error) {
	tie(cmd.SysProcAttr, sig)
	started, exited := make(chan error, 1), make(chan error, 1)
	go func() {
		runtime.LockOSThread()
		defer runtime.UnlockOSThread()
		err := cmd.Start()
		started <- err
		if err == nil {
			exited <- cmd.Wait()
		}
	}()
	return exited, <-started
}

func (c *cluster) logPath() string { return filepath.Join(c.dir, "log") }

// log returns the last few thousand bytes of the server's log.
func (c *cluster) log() string {
	text, err := os.ReadFile(c.logPath())
	if err != nil {
		return err.Error()
	}
	return string(text[max(0, len(text)-4000):])
}
