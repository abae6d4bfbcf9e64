//go:build patroni

package deploy

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"example.org/library/internal/testidp"
	"example.org/library/internal/testkit"
)

// ha is a PostgreSQL under Patroni on machines 21 and 22, with etcd on 31.
type ha struct {
	t       *testing.T
	network network
	dir     string
	nodes   map[string]*testkit.Process // of Patroni, by machine
}

var databases = []string{"21", "22"}

func startHA(t *testing.T, n network) *ha {
	t.Helper()
	dir, err := os.MkdirTemp("", "library-patroni-")
	testkit.NoError(t, err)
	h := &ha{t: t, network: n, dir: dir, nodes: make(map[string]*testkit.Process)}
	t.Cleanup(func() { os.RemoveAll(dir) })
	h.folder(".")
	peer, client := "http://"+n.at("31:2380"), "http://"+n.at("31:2379")
	h.run(exec.Command(program(t, "etcd"), "--name", "etcd1", "--data-dir", h.folder("etcd"),
		"--listen-peer-urls", peer, "--initial-advertise-peer-urls", peer, "--initial-cluster", "etcd1="+peer,
		"--listen-client-urls", client, "--advertise-client-urls", client))
	for _, machine := range databases {
		h.start(machine)
		t.Cleanup(func() { h.kill(machine) })
		testkit.Eventually(t, "machine "+machine+" has a PostgreSQL that runs", func() bool { return h.query(machine, "SELECT 1") == "1" })
	}
	testkit.Eventually(t, "the second machine follows the first", func() bool {
		return h.query("21", "SELECT sync_state FROM pg_stat_replication") == "sync"
	})
	h.query("21", "CREATE USER library PASSWORD 'library'")
	h.query("21", "CREATE DATABASE library OWNER library")
	return h
}

// run starts a program as a user who may run PostgreSQL, which root may not.
func (h *ha) run(cmd *exec.Cmd) *testkit.Process {
	h.t.Helper()
	if os.Getuid() == 0 {
		cmd = exec.Command(program(h.t, "setpriv"), append([]string{"--reuid=postgres", "--regid=postgres", "--clear-groups"}, cmd.Args...)...)
	}
	cmd.Dir = h.dir
	cmd.Env = append(os.Environ(), "HOME="+h.dir, "LC_ALL=C.UTF-8")
	cmd.WaitDelay = time.Second // PostgreSQL has what Patroni writes to, and may outlive it
	p := testkit.Start(h.t, cmd)
	h.t.Cleanup(func() {
		if h.t.Failed() {
			h.t.Logf("log of %s (its end):\n%s", filepath.Base(cmd.Args[len(cmd.Args)-1]), p.LogEnd())
		}
	})
	return p
}

// folder makes one for that user.
func (h *ha) folder(name string) string {
	h.t.Helper()
	path := filepath.Join(h.dir, name)
	testkit.NoError(h.t, os.MkdirAll(path, 0o700))
	if os.Getuid() != 0 {
		return path
	}
	postgres, err := user.Lookup("postgres")
	testkit.NoError(h.t, err)
	uid, _ := strconv.Atoi(postgres.Uid)
	testkit.NoError(h.t, os.Chown(path, uid, -1))
	return path
}

// start starts Patroni on a machine with the example.
func (h *ha) start(machine string) {
	h.t.Helper()
	installed, err := filepath.Glob("/usr/lib/postgresql/*/bin")
	if err != nil || len(installed) == 0 {
		h.t.Fatal("there is no PostgreSQL here")
	}
	config := example(h.t, "patroni/patroni.yml",
		", 10.0.0.32:2379, 10.0.0.33:2379", "", "10.0.0.0/24", "127.0.0.0/8", "10.0.0.21", "10.0.0."+machine, "10.0.0", string(h.network), "name: db1", "name: db"+machine,
		"/var/lib/postgresql/15/library", h.data(machine), "/usr/lib/postgresql/15/bin", installed[len(installed)-1],
		"/var/lib/postgresql/.pgpass-patroni", filepath.Join(h.dir, "pgpass"+machine), "/var/run/postgresql", h.folder("run"+machine))
	path := write(h.t, h.dir, "patroni"+machine+".yml", config)
	testkit.NoError(h.t, os.Chmod(path, 0o644))
	h.nodes[machine] = h.run(exec.Command(program(h.t, "patroni"), path))
}

func (h *ha) data(machine string) string { return filepath.Join(h.dir, "data"+machine) }

// signal reaches Patroni and PostgreSQL of a machine, as if it were the machine itself.
func (h *ha) signal(machine string, sig syscall.Signal) {
	h.nodes[machine].Cmd.Process.Signal(sig)
	for _, pid := range h.processes(machine) {
		syscall.Kill(pid, sig)
	}
}

// processes are those of a machine's PostgreSQL: the postmaster and its children.
func (h *ha) processes(machine string) (pids []int) {
	text, err := os.ReadFile(filepath.Join(h.data(machine), "postmaster.pid"))
	if err != nil {
		return nil
	}
	first, _, _ := strings.Cut(string(text), "\n")
	postmaster, err := strconv.Atoi(first)
	if err != nil || postmaster < 2 {
		return nil
	}
	children, _ := os.ReadFile(fmt.Sprintf("/proc/%d/task/%d/children", postmaster, postmaster))
	for _, child := range strings.Fields(string(children)) {
		if pid, err := strconv.Atoi(child); err == nil {
			pids = append(pids, pid)
		}
	}
	return append([]int{postmaster}, pids...)
}

// kill ends a machine as a power failure does.
func (h *ha) kill(machine string) {
	h.signal(machine, syscall.SIGKILL)
	<-h.nodes[machine].Exited
}

// query asks a machine's PostgreSQL as its superuser; "" if there is no answer.
func (h *ha) query(machine, sql string) (answer string) {
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second)
	defer cancel()
	conn, err := pgx.Connect(ctx, "postgres://postgres:CHANGE-ME-1@"+h.network.at(machine+":5432")+"/postgres")
	if err != nil {
		return ""
	}
	defer conn.Close(ctx)
	rows, err := conn.Query(ctx, sql, pgx.QueryExecModeSimpleProtocol)
	if err != nil {
		return ""
	}
	answers, err := pgx.CollectRows(rows, pgx.RowTo[any])
	if err != nil || len(answers) == 0 {
		return ""
	}
	return fmt.Sprint(answers[0])
}

// primary is the machine whose PostgreSQL takes writes, or "".
func (h *ha) primary() string {
	for _, machine := range databases {
		if h.query(machine, "SELECT pg_is_in_recovery()") == "false" {
			return machine
		}
	}
	return ""
}

func TestWritesSurviveTheLossOfThePrimaryUnderPatroni(t *testing.T) {
	n := newNetwork(t)
	h := startHA(t, n)
	c := &copies{
		t: t, network: n, idp: testidp.New(t), running: make(map[string]*testkit.Process),
		database: "postgres://library:library@" + n.at("21:5432") + "," + n.at("22:5432") + "/library?target_session_attrs=read-write",
	}
	for _, machine := range machines {
		c.start(machine)
	}
	l := startLoad(t, c)
	for _, loss := range []struct {
		name string
		lose func(primary string)
		back func(machine string)
	}{
		{"the primary's machine is switched off", h.kill, h.start},
		{"the primary's machine hangs", func(m string) { h.signal(m, syscall.SIGSTOP) }, func(m string) { h.kill(m); h.start(m) }}, // as a watchdog does
		{"a switchover on purpose", h.switchover, func(string) {}},
	} {
		time.Sleep(5 * time.Second) // of load before it happens
		before := h.primary()
		l.begin()
		lost := time.Now()
		loss.lose(before)
		other := map[string]string{"21": "22", "22": "21"}[before]
		awaitFor(t, time.Minute, "the other machine is the primary", func() bool { return h.query(other, "SELECT pg_is_in_recovery()") == "false" })
		promoted := time.Since(lost)
		time.Sleep(8 * time.Second) // of load after it
		l.report(loss.name, lost, promoted)
		loss.back(before)
		awaitFor(t, 2*time.Minute, "the machine that was lost follows", func() bool {
			return h.query(other, "SELECT sync_state FROM pg_stat_replication") == "sync"
		})
	}
	l.end()
}

// switchover asks Patroni to make the other machine the primary.
func (h *ha) switchover(string) {
	h.t.Helper()
	cmd := exec.Command(program(h.t, "patronictl"), "-c", filepath.Join(h.dir, "patroni21.yml"), "switchover", "library", "--force")
	cmd.Env = append(os.Environ(), "LC_ALL=C.UTF-8")
	if out, err := cmd.CombinedOutput(); err != nil {
		h.t.Fatalf("%v\n%s", err, out)
	}
}

func awaitFor(t *testing.T, atMost time.Duration, what string, holds func() bool) {
	t.Helper()
	for deadline := time.Now().Add(atMost); !holds(); time.Sleep(100 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("not within %v: %s", atMost, what)
		}
	}
}
