package main

import (
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// installedFiles is what both formats install: rights, owner, path.
const installedFiles = `-rw------- root/root /etc/library/library.toml
-rwxr-xr-x root/root /usr/bin/library
-rw-r--r-- root/root /usr/lib/systemd/system/library-management.socket
-rw-r--r-- root/root /usr/lib/systemd/system/library.service
-rw-r--r-- root/root /usr/lib/systemd/system/library.socket
-rw-r--r-- root/root /usr/lib/sysusers.d/library.conf
-rw-r--r-- root/root /usr/share/bash-completion/completions/library
-rw-r--r-- root/root /usr/share/doc/library/README.md
-rw-r--r-- root/root /usr/share/doc/library/THIRD_PARTY_LICENSES.txt
-rw-r--r-- root/root /usr/share/doc/library/copyright
-rw-r--r-- root/root /usr/share/doc/library/library.cdx.json
-rw-r--r-- root/root /usr/share/fish/vendor_completions.d/library.fish
-rw-r--r-- root/root /usr/share/man/man1/library.1.gz
-rw-r--r-- root/root /usr/share/zsh/site-functions/_library`

// needs fails the test if a program of Debian's is not there.
func needs(t *testing.T, program, debian string) {
	t.Helper()
	if _, err := exec.LookPath(program); err != nil {
		t.Fatalf("%v; make test-packages installs it (Debian's package %s)", err, debian)
	}
}

// read runs a program that reads a package, and returns what it prints.
func read(t *testing.T, program string, args ...string) string {
	t.Helper()
	out, err := command(t.Context(), ".", []string{"LC_ALL=C", "TZ=UTC"}, program, args...)
	if err != nil {
		t.Fatal(err)
	}
	return strings.TrimSpace(out)
}

func same(t *testing.T, what, got, want string) {
	t.Helper()
	if got != want {
		t.Errorf("%s:\n%s\nwant\n%s", what, got, want)
	}
}

// script is one that packages run.
func script(t *testing.T, name string) string {
	t.Helper()
	data, err := own.ReadFile("files/" + name)
	if err != nil {
		t.Fatal(err)
	}
	return strings.TrimSpace(string(data))
}

// packaged is a version as packages write it.
func packaged(version string) string { return strings.Replace(version, "-dev.", "~dev.", 1) }

func TestDebianTakesABuildBetweenReleasesForNewer(t *testing.T) {
	t.Parallel()
	needs(t, "dpkg", "dpkg")
	for _, tt := range [][2]string{{"1.0.0", "1.1.0-dev.9"}, {"1.1.0-dev.9", "1.1.0-dev.10"}, {"1.1.0-dev.10", "1.1.0"}} {
		read(t, "dpkg", "--compare-versions", packaged(tt[0]), "lt", packaged(tt[1]))
	}
}

func TestTheChecksumsAreOfAllFiles(t *testing.T) {
	t.Parallel()
	r := published(t)
	if out, err := command(t.Context(), r.out, nil, "sha256sum", "--check", "--strict", "SHA256SUMS"); err != nil || strings.Count(out, ": OK") != len(r.written)-1 {
		t.Errorf("%v\n%s", err, out)
	}
}

func TestDpkgReadsThePackageBack(t *testing.T) {
	t.Parallel()
	needs(t, "dpkg-deb", "dpkg")
	r := published(t)
	file := filepath.Join(r.out, r.base(platform{"linux", "arm64"})+".deb")
	same(t, "fields", read(t, "dpkg-deb", "--show", "--showformat", "${Package} ${Version} ${Architecture} ${Depends}", file), "library "+packaged(r.version)+" arm64 systemd")
	var list []string
	for _, found := range regexp.MustCompile(`(?m)^(-\S+ \S+) .* \.(/\S+)$`).FindAllStringSubmatch(read(t, "dpkg-deb", "--contents", file), -1) {
		list = append(list, found[1]+" "+found[2])
	}
	same(t, "files", strings.Join(list, "\n"), installedFiles)
	same(t, "files of the administrator", read(t, "dpkg-deb", "--info", file, "conffiles"), configFile)
	for _, name := range []string{"postinst", "prerm", "postrm"} {
		same(t, name, read(t, "dpkg-deb", "--info", file, name), script(t, name))
	}
}

func TestRpmReadsThePackageBack(t *testing.T) {
	t.Parallel()
	needs(t, "rpm", "rpm")
	r := published(t)
	file := filepath.Join(r.out, r.base(platform{"linux", "arm64"})+".rpm")
	query := func(format string) string {
		return read(t, "rpm", "--query", "--package", "--queryformat", format, file)
	}
	read(t, "rpm", "--checksig", file) // its digests
	same(t, "fields", query("%{NAME} %{VERSION}-%{RELEASE} %{ARCH} %{LICENSE} %{BUILDHOST}"), "library "+packaged(r.version)+"-1 aarch64 Apache-2.0 localhost")
	same(t, "time", query("%{BUILDTIME:date}"), r.time.Format("Mon Jan _2 15:04:05 2006"))
	same(t, "requirements", query("[%{REQUIRES} ]"), "systemd")
	same(t, "files", query(`[%{FILEMODES:perms} %{FILEUSERNAME}/%{FILEGROUPNAME} %{FILENAMES}\n]`), installedFiles)
	flags := strings.Fields(query(`[%{FILEFLAGS:fflags}%{FILENAMES} ]`)) // c: of the administrator, n: an upgrade keeps it
	same(t, "files of the administrator", flags[0], "cn"+configFile)
	for _, file := range flags[1:] {
		if !strings.HasPrefix(file, "/usr/") {
			t.Errorf("flags: %s", file)
		}
	}
	for tag, name := range map[string]string{"POSTIN": "postinst", "PREUN": "prerm", "POSTUN": "postrm"} {
		same(t, tag, query("%{"+tag+"}"), script(t, name))
		same(t, "shell of "+tag, query("%{"+tag+"PROG}"), "/bin/sh")
	}
	folder := t.TempDir()
	if out, err := exec.Command("bash", "-c", `set -o pipefail; cd "$1" && rpm2archive - <"$2" | tar -xz`, "extract", folder, file).CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	same(t, "the program", read(t, "cat", filepath.Join(folder, "usr/bin/library")), "the program for linux_arm64")
}
