package pgtest

import (
	"errors"
	"fmt"
	"net"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"syscall"
	"testing"
	"time"

	"example.org/library/internal/testkit"
)

// Pooled starts a PgBouncer that pools transactions in front of the database at an
// address, and returns its address. Its configuration has the database and the user
// and is otherwise the default.
func Pooled(t testing.TB, address string) string {
	t.Helper()
	pooled, err := startBouncer(t, address)
	if err != nil {
		t.Fatalf("pgtest: PgBouncer: %v", err)
	}
	return pooled
}

func startBouncer(t testing.TB, address string) (string, error) {
	program, err := findBouncer()
	if err != nil {
		return "", err
	}
	owner, err := serverUser()
	if err != nil {
		return "", err
	}
	dir, err := makeDir(owner)
	if err != nil {
		return "", err
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	u, err := url.Parse(address)
	if err != nil {
		return "", err
	}
	server := u.Host
	port, err := testkit.FreePort()
	if err != nil {
		return "", err
	}
	u.Host = net.JoinHostPort("127.0.0.1", strconv.Itoa(port))
	if err := configureBouncer(dir, owner, u, server); err != nil {
		return "", err
	}
	cmd := exec.Command(program, "pgbouncer.ini")
	cmd.Dir = dir
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Credential: owner}
	log, err := os.Create(filepath.Join(dir, "log"))
	if err != nil {
		return "", err
	}
	defer log.Close()
	cmd.Stdout, cmd.Stderr = log, log
	exited, err := startTied(cmd, syscall.SIGKILL)
	if err != nil {
		return "", err
	}
	t.Cleanup(func() { cmd.Process.Kill(); <-exited })
	return u.String(), waitForPort(u.Host, log.Name())
}

// configureBouncer writes the files of a PgBouncer at an address.
func configureBouncer(dir string, owner *syscall.Credential, at *url.URL, server string) error {
	host, port, err := net.SplitHostPort(server)
	if err != nil {
		return err
	}
	password, _ := at.User.Password()
	for name, text := range map[string]string{
		"users": fmt.Sprintf("%q %q\n", at.User.Username(), password),
		"pgbouncer.ini": fmt.Sprintf(`[databases]
* = host=%s port=%s
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = %s
unix_socket_dir =
auth_type = scram-sha-256
auth_file = users
pool_mode = transaction
`, host, port, at.Port()),
	} {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			return err
		}
		if owner != nil {
			if err := os.Chown(path, int(owner.Uid), int(owner.Gid)); err != nil {
				return err
			}
		}
	}
	return nil
}

func findBouncer() (string, error) {
	if path, err := exec.LookPath("pgbouncer"); err == nil {
		return path, nil
	}
	path, err := exec.LookPath("/usr/sbin/pgbouncer")
	if err != nil {
		return "", errors.New("it is not installed: run `make deps` or `apt-get install pgbouncer`")
	}
	return path, nil
}

func waitForPort(address, logPath string) error {
	for deadline := time.Now().Add(startTimeout); ; time.Sleep(10 * time.Millisecond) {
		conn, err := net.Dial("tcp", address)
		if err == nil {
			return conn.Close()
		}
		if time.Now().After(deadline) {
			text, _ := os.ReadFile(logPath)
			return fmt.Errorf("it does not answer: %w\n%s", err, text)
		}
	}
}
