package main

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"testing"
	"time"
)

// machine is a Debian with systemd of its own, in namespaces of the kernel. Its files are those
// of the machine that runs the test, with everything that it writes kept apart in memory: nothing
// of what is installed there is left behind. It has no network but its loopback, and /sys and
// /proc/sys cannot be written, which keeps systemd from configuring the kernel.
type machine struct {
	t   *testing.T
	pid int
}

// boot is run by bash as the first process of the machine. $1 is an empty folder, $2 the cgroup.
const boot = `set -eu
echo $$ >"$2/cgroup.procs"
exec unshare --cgroup bash -euc '
mount --make-rprivate /
mount -t tmpfs -o size=1g memory "$0"
mkdir "$0/upper" "$0/work" "$0/root"
mount -t overlay files -o "lowerdir=/,upperdir=$0/upper,workdir=$0/work" "$0/root"
cd "$0/root"
mount -t proc proc proc
mount --bind proc/sys proc/sys
mount -o remount,bind,ro proc/sys
mount -t sysfs -o ro sys sys
if [ -e /sys/fs/cgroup/cgroup.controllers ]; then
  mount -t cgroup2 groups sys/fs/cgroup
else
  mount -t tmpfs -o mode=755 groups sys/fs/cgroup
  mkdir sys/fs/cgroup/systemd
  mount -t cgroup -o none,name=systemd groups sys/fs/cgroup/systemd
fi
mount -t tmpfs -o mode=755 devices dev
for d in null zero full random urandom tty; do touch dev/$d; mount --bind /dev/$d dev/$d; done
mkdir dev/shm dev/pts
mount -t devpts -o newinstance,ptmxmode=0666 terminals dev/pts
ln -s pts/ptmx dev/ptmx
ln -s /proc/self/fd dev/fd
mount -t tmpfs -o mode=755 run run
mount -t tmpfs -o mode=1777 tmp tmp
rm -f usr/sbin/policy-rc.d
mkdir run/outside
pivot_root . run/outside
umount --lazy run/outside
mount --make-rshared / # systemd gives a service its credentials through a mount that it passes on
exec env -i container=test PATH=/usr/sbin:/usr/bin:/sbin:/bin /lib/systemd/systemd --unit=basic.target
' "$1"
`

// mayStart fails the test where no machine can be started, before anything is built.
func mayStart(t *testing.T) {
	t.Helper()
	const why = "This test starts a systemd of its own in namespaces of the kernel"
	if os.Geteuid() != 0 {
		t.Fatalf("%s, for which it must be root: sudo make test-packages", why)
	}
	for program, debian := range map[string]string{
		"/lib/systemd/systemd": "systemd", "nsenter": "util-linux", "ip": "iproute2", "curl": "curl", "ps": "procps", "dpkg": "dpkg", "rpm": "rpm",
	} {
		needs(t, program, debian)
	}
	if out, err := exec.Command("unshare", "--mount", "--pid", "--net", "--ipc", "--uts", "--cgroup", "--fork", "mount", "-t", "tmpfs", "none", "/mnt").CombinedOutput(); err != nil {
		t.Fatalf("%s, which this machine does not allow: %v: %s", why, err, out)
	}
}

// start boots a machine, which ends with the test.
func start(t *testing.T) *machine {
	t.Helper()
	group := cgroup(t)
	var log bytes.Buffer
	cmd := exec.Command("bash", "-c", boot, "boot", t.TempDir(), group)
	cmd.Stdout, cmd.Stderr = &log, &log
	cmd.SysProcAttr = &syscall.SysProcAttr{
		Cloneflags: syscall.CLONE_NEWNS | syscall.CLONE_NEWPID | syscall.CLONE_NEWNET | syscall.CLONE_NEWIPC | syscall.CLONE_NEWUTS,
		Pdeathsig:  syscall.SIGKILL, // if the test is killed
	}
	runtime.LockOSThread() // the kernel takes the end of the thread that starts it for that of the test
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	ended := make(chan error, 1)
	go func() { ended <- cmd.Wait() }()
	t.Cleanup(func() { // its first process takes all others with it
		cmd.Process.Kill()
		<-ended
		if t.Failed() {
			t.Logf("the machine: %s", log.String())
		}
	})
	m := &machine{t, cmd.Process.Pid}
	for { // until go test ends it
		select {
		case err := <-ended:
			ended <- err
			t.Fatalf("systemd did not start: %v", err)
		case <-time.After(200 * time.Millisecond):
		}
		out, _ := m.try("systemctl is-system-running || true")
		if state := strings.TrimSpace(out); state == "running" || state == "degraded" {
			m.run("ip link set lo up")
			return m
		}
	}
}

// cgroup makes a control group for the machine, and removes those that it leaves.
func cgroup(t *testing.T) string {
	t.Helper()
	parent := "/sys/fs/cgroup"
	if _, err := os.Stat(parent + "/cgroup.controllers"); err != nil {
		parent += "/systemd" // version 1
	}
	path := filepath.Join(parent, fmt.Sprintf("library-packages-%d", os.Getpid()))
	if err := os.Mkdir(path, 0o755); err != nil {
		t.Fatalf("systemd needs a control group, which this machine does not allow: %v", err)
	}
	t.Cleanup(func() {
		for range 50 { // the kernel ends the processes in its own time
			exec.Command("find", path, "-depth", "-type", "d", "-exec", "rmdir", "{}", ";").Run()
			if _, err := os.Stat(path); err != nil {
				return
			}
			time.Sleep(100 * time.Millisecond)
		}
		t.Errorf("%s is left", path)
	})
	return path
}

// try runs a script in the machine as root, and returns what it prints.
func (m *machine) try(script string) (string, error) {
	cmd := exec.Command("nsenter", "--target", fmt.Sprint(m.pid), "--mount", "--uts", "--ipc", "--net", "--pid", "--cgroup", "--root", "--wd",
		"env", "-i", "PATH=/usr/sbin:/usr/bin:/sbin:/bin", "LC_ALL=C", "DEBIAN_FRONTEND=noninteractive", "sh", "-ec", script)
	out, err := cmd.CombinedOutput()
	return string(out), err
}

// run is try with a script that must succeed.
func (m *machine) run(script string) string {
	m.t.Helper()
	out, err := m.try(script)
	if err != nil {
		journal, _ := m.try("journalctl --no-pager -n 40")
		m.t.Fatalf("%s\n%v: %s\n%s", script, err, out, journal)
	}
	return strings.TrimSpace(out)
}

// put writes a file in the machine.
func (m *machine) put(path string, data []byte) {
	m.t.Helper()
	if err := os.WriteFile(filepath.Join("/proc", fmt.Sprint(m.pid), "root", path), data, 0o644); err != nil {
		m.t.Fatal(err)
	}
}

// is fails the test unless a script prints this.
func (m *machine) is(script, want string) {
	m.t.Helper()
	if out, _ := m.try(script); strings.TrimSpace(out) != want {
		m.t.Errorf("%s: %q, want %q", script, strings.TrimSpace(out), want)
	}
}
