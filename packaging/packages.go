package main

import (
	"bytes"
	"compress/gzip"
	"embed"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/goreleaser/nfpm/v2"
	_ "github.com/goreleaser/nfpm/v2/deb" // registers the format
	"github.com/goreleaser/nfpm/v2/files"
	_ "github.com/goreleaser/nfpm/v2/rpm" // registers the format
)

// own is the files that packages have and archives do not.
//
//go:embed files
var own embed.FS

const unitFolder = "/usr/lib/systemd/system/"

// configFile is the file that belongs to the administrator: an upgrade keeps what is
// changed in it.
const configFile = "/etc/library/library.toml"

// makePackages writes the packages of both formats, of what is in the archive and what
// systemd needs.
func (r *release) makePackages(p platform, archived []entry) error {
	entries, err := r.installed(archived)
	if err != nil {
		return err
	}
	for _, format := range []string{"deb", "rpm"} {
		data, err := r.packed(format, p, entries)
		if err != nil {
			return fmt.Errorf("%s: %w", format, err)
		}
		if err := r.write(r.base(p)+"."+format, data); err != nil {
			return err
		}
	}
	return nil
}

// installed is the files of a package, by the paths that they are installed to.
func (r *release) installed(archived []entry) ([]entry, error) {
	var entries []entry
	for _, e := range archived {
		e.name = installedAs(e.name)
		if strings.HasSuffix(e.name, ".gz") {
			var err error
			if e.data, err = compressed(e.data); err != nil {
				return nil, err
			}
		}
		entries = append(entries, e)
	}
	for from, e := range map[string]entry{
		"files/sysusers.conf": {name: "/usr/lib/sysusers.d/library.conf", mode: 0o644},
		"files/library.toml":  {name: configFile, mode: 0o600}, // it may have a password; systemd reads it as root
	} {
		var err error
		if e.data, err = own.ReadFile(from); err != nil {
			return nil, err
		}
		entries = append(entries, e)
	}
	for _, name := range []string{"library.service", "library.socket", "library-management.socket"} {
		data, err := os.ReadFile(filepath.Join(r.source, "deploy/systemd", name))
		if err != nil {
			return nil, err
		}
		entries = append(entries, entry{unitFolder + name, unit(data), 0o644})
	}
	return entries, nil
}

// unit is a unit of deploy/systemd as a package installs it: the program is where packages
// put it, the user is one that stays, so that the files of a library that was removed have an
// owner, and only this machine can reach it: it speaks no TLS before it is configured.
func unit(data []byte) []byte {
	return []byte(strings.NewReplacer(
		"/usr/local/bin/library", "/usr/bin/library",
		"DynamicUser=yes\n", "User=library\nGroup=library\n",
		"ListenStream=9091\n", "ListenStream=127.0.0.1:9091\n",
	).Replace(string(data)))
}

// installedAs is where a file of the archive is installed.
func installedAs(name string) string {
	switch {
	case name == "LICENSE":
		return "/usr/share/doc/library/copyright"
	case strings.HasPrefix(name, manFolder):
		return "/usr/" + name + ".gz"
	case strings.HasPrefix(name, "bin/"), strings.HasPrefix(name, "share/"):
		return "/usr/" + name
	}
	return "/usr/share/doc/library/" + name
}

// compressed is gzip without the time and the name.
func compressed(data []byte) ([]byte, error) {
	var out bytes.Buffer
	w, err := gzip.NewWriterLevel(&out, gzip.BestCompression)
	if err != nil {
		return nil, err
	}
	if _, err := w.Write(data); err != nil {
		return nil, err
	}
	if err := w.Close(); err != nil {
		return nil, err
	}
	return out.Bytes(), nil
}

// packed is a package of the format. nfpm reads the files from a folder.
func (r *release) packed(format string, p platform, entries []entry) ([]byte, error) {
	folder, err := os.MkdirTemp("", "library-package-*")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(folder)
	info, err := r.describe(p, folder)
	if err != nil {
		return nil, err
	}
	for i, e := range sorted(entries) {
		from := filepath.Join(folder, fmt.Sprint(i))
		if err := os.WriteFile(from, e.data, 0o600); err != nil {
			return nil, err
		}
		content := &files.Content{Source: from, Destination: e.name, FileInfo: &files.ContentFileInfo{Owner: "root", Group: "root", Mode: e.mode, MTime: r.time}}
		if e.name == configFile {
			content.Type = files.TypeConfigNoReplace
		}
		info.Contents = append(info.Contents, content)
	}
	packager, err := nfpm.Get(format)
	if err != nil {
		return nil, err
	}
	info = nfpm.WithDefaults(info)
	if err := nfpm.PrepareForPackager(info, format); err != nil {
		return nil, err
	}
	var out bytes.Buffer
	if err := packager.Package(info, &out); err != nil {
		return nil, err
	}
	return out.Bytes(), nil
}

// describe is what a package says of itself, with the scripts in the folder.
func (r *release) describe(p platform, folder string) (*nfpm.Info, error) {
	info := &nfpm.Info{
		Name: "library", Arch: p.arch, Platform: p.system, Version: r.version, MTime: r.time,
		Section: "net", Priority: "optional", License: "Apache-2.0", Homepage: r.origin.homepage,
		Maintainer:      r.origin.packager(),
		Description:     "Lending library: a service with a terminal and a browser client\nBooks, copies, loans and reservations over HTTP, on SQLite or PostgreSQL,\nwith the logins of any OpenID Connect provider.",
		DisableGlobbing: true,
	}
	info.Depends = []string{"systemd"}
	info.Recommends = []string{"ca-certificates"}
	info.Deb.Compression, info.RPM.Compression = r.compression, r.compression
	info.RPM.BuildHost = "localhost" // nothing of the machine that makes it
	for name, to := range map[string]*string{"postinst": &info.Scripts.PostInstall, "prerm": &info.Scripts.PreRemove, "postrm": &info.Scripts.PostRemove} {
		data, err := own.ReadFile("files/" + name)
		if err != nil {
			return nil, err
		}
		*to = filepath.Join(folder, name)
		if err := os.WriteFile(*to, data, 0o700); err != nil {
			return nil, err
		}
	}
	return info, nil
}
