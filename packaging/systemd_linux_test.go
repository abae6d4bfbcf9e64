package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestThePackagesUnderSystemd installs, starts, upgrades and removes the packages.
func TestThePackagesUnderSystemd(t *testing.T) {
	mayStart(t)
	folder := twoVersions(t)
	t.Run("deb", func(t *testing.T) { debian(t, start(t), folder) })
	t.Run("rpm", func(t *testing.T) { redHat(t, start(t), folder) })
}

// twoVersions makes the packages of two versions of a program that is built once. It is what
// make dist does, except that paths are not cut and files are compressed little, which is quicker.
func twoVersions(t *testing.T) (folder string) {
	t.Helper()
	folder = t.TempDir()
	program := filepath.Join(folder, "library")
	if _, err := command(t.Context(), "..", []string{"CGO_ENABLED=0"}, "go", "build", "-ldflags=-s -w -X main.builtVersion="+version(t), "-o", program, "./cmd/library"); err != nil {
		t.Fatal(err)
	}
	r, err := newRelease(t.Context(), "..", folder)
	if err != nil {
		t.Fatal(err)
	}
	if r.extras, err = r.accompanying(t.Context(), folder, program); err != nil {
		t.Fatal(err)
	}
	components, err := r.components(t.Context(), program)
	if err != nil {
		t.Fatal(err)
	}
	r.compression = "gzip:1"
	data := r.file(t, "library")
	for _, r.version = range []string{version(t), nextVersion} {
		bom, err := r.bom(here, components)
		if err != nil {
			t.Fatal(err)
		}
		if err := r.makePackages(here, r.archived(here, data, bom, components)); err != nil {
			t.Fatal(err)
		}
	}
	return folder
}

const nextVersion = "99.0.0"

func version(t *testing.T) string {
	t.Helper()
	return read(t, "../scripts/version")
}

// take copies the packages of a format into the machine, as /tmp/this and /tmp/next.
func (m *machine) take(folder, format string) {
	m.t.Helper()
	for name, version := range map[string]string{"this": version(m.t), "next": nextVersion} {
		data, err := os.ReadFile(filepath.Join(folder, (&release{version: version}).base(here)+"."+format))
		if err != nil {
			m.t.Fatal(err)
		}
		m.put("/tmp/"+name+"."+format, data)
	}
}

// settings lets one person in with a password ("secret"), so that the test needs no provider.
const settings = `cat >>/etc/library/library.toml <<'END'
auth = "basic"
htpasswd = "/var/lib/library/htpasswd"
bootstrap-user = "ada@example.org"
END
sed -i 's/^web/#web/' /etc/library/library.toml
echo 'ada@example.org:$2b$10$abcdefghijklmnopqrstuuqflPDzB6gcMhKa1rZqKiun2YGL5sa2u' >/var/lib/library/htpasswd
chown library /var/lib/library/htpasswd`

const (
	active   = "systemctl is-active library.service"
	process  = "systemctl show -P MainPID library.service"
	startIt  = "systemctl enable --now library.service"
	asUser   = "curl -sS --retry 20 --retry-connrefused --max-time 60 -u ada@example.org:secret http://127.0.0.1:9091/library-server/me"
	dataStay = "test -s /var/lib/library/library.db && test -s /var/lib/library/htpasswd"
)

// isInstalled is what is there after either package is installed: everything, and nothing
// runs before it knows who signs people in. out is what the installation said.
func (m *machine) isInstalled(out string) {
	m.t.Helper()
	if !strings.Contains(out, startIt) {
		m.t.Errorf("it does not say how to start it: %s", out)
	}
	m.is("stat -c '%U %G %a' /var/lib/library", "library library 700")
	m.is("stat -c '%U %G %a' /etc/library/library.toml", "root root 600")
	m.is("getent passwd library | cut -d: -f6,7", "/var/lib/library:/usr/sbin/nologin")
	m.is(active, "inactive")
	m.is("systemctl is-enabled library.service", "disabled")
	m.run("systemd-analyze verify --man=no library.service")
	m.run("test -s /usr/share/man/man1/library-serve.1.gz")
	if out := m.run("library version"); !strings.HasPrefix(out, "library version "+version(m.t)) {
		m.t.Errorf("the program says %s", out)
	}
	if out, err := m.try("library serve --config /etc/library/library.toml"); err == nil || !strings.Contains(out, "issuer") {
		m.t.Errorf("the file as it is: %v %s", err, out)
	}
}

// starts configures the service and starts it: under systemd, as its own user, with what the
// administrator has set, for this machine alone. It returns what a user sees.
func (m *machine) starts() (me string) {
	m.t.Helper()
	m.run(settings)
	m.run(startIt)
	m.is(active, "active")
	m.is("ps -o user= -p $("+process+")", "library")
	m.is("curl -sS --max-time 60 http://127.0.0.1:9092/healthz", "ok")
	m.is("systemctl show -P Listen library.socket", "127.0.0.1:9091 (Stream)")
	if me = m.run(asUser); !strings.Contains(me, "ada@example.org") {
		m.t.Fatalf("/me: %s", me)
	}
	return me
}

// upgrades runs a command that upgrades: another process, the same settings, the same data.
func (m *machine) upgrades(command, me string) {
	m.t.Helper()
	before := m.run(process)
	m.run(command)
	m.is(active, "active")
	if after := m.run(process); after == before {
		m.t.Error("the service was not restarted")
	}
	m.is(asUser, me)
}

// removes runs a command that removes the package: nothing runs or listens, and the data stay.
func (m *machine) removes(command string) (out string) {
	m.t.Helper()
	out = m.run(command)
	if !strings.Contains(out, "still in /var/lib/library") {
		m.t.Errorf("it does not say what is left: %s", out)
	}
	m.is(active, "inactive")
	m.is("systemctl is-active library.socket library-management.socket | uniq", "inactive")
	m.run("test ! -e /usr/bin/library && test ! -e /etc/systemd/system/multi-user.target.wants/library.service")
	m.run(dataStay)
	m.is("stat -c '%U %a' /var/lib/library", "library 700")
	return out
}

func debian(t *testing.T, m *machine, folder string) {
	m.take(folder, "deb")
	m.isInstalled(m.run("dpkg --install /tmp/this.deb"))
	me := m.starts()
	m.upgrades("dpkg --install /tmp/next.deb", me)
	m.is("dpkg-query -W -f '${Version}' library", nextVersion)

	m.removes("dpkg --remove library")
	m.run("grep -q ada@example.org /etc/library/library.toml")

	// Back again: it is started when somebody says so, with the settings and data of before.
	m.run("dpkg --install /tmp/next.deb")
	m.is(active, "inactive")
	m.run(startIt)
	m.is(asUser, me)

	m.removes("dpkg --purge library")
	m.run("test ! -e /etc/library")
}

func redHat(t *testing.T, m *machine, folder string) {
	m.take(folder, "rpm")
	// Debian's rpm has a database of its own, in which nothing is that a package depends on.
	const rpm = "rpm --force-debian --nodeps "
	m.isInstalled(m.run(rpm + "--install /tmp/this.rpm"))
	me := m.starts()
	m.upgrades(rpm+"--upgrade /tmp/next.rpm", me)
	m.is("rpm --query --queryformat '%{VERSION}' library", nextVersion)
	m.run("grep -q ada@example.org /etc/library/library.toml")

	m.removes(rpm + "--erase library")
	m.run("test ! -e /etc/library/library.toml && grep -q ada@example.org /etc/library/library.toml.rpmsave")
}
