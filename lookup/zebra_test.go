package lookup

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"example.org/library/bookfile"
	"example.org/library/internal/isbn"
	"example.org/library/internal/marc"
	"example.org/library/internal/testkit"
)

// Zebra is an SRU server that nobody here wrote. It is given real records, and an index of their
// ISBNs, which its own configuration lacks.
const (
	zebraIndex = `name library
encoding utf-8
attset bib1.att
esetname F @
marc usmarc.mar
systag rank rank
all any
melm 020$a ISBN:w,ISBN:p
melm 245$a Title:w,Title:p
`
	zebraQueries = `set.cql = info:srw/cql-context-set/1/cql-v1.1
set.bath = http://zing.z3950.org/cql/bath/2.0/
index.cql.serverChoice = 1=1016
index.bath.isbn = 1=7
relation.eq = 2=3
relation.scr = 2=3
position.any = 3=3 6=1
structure.* = 4=1
truncation.none = 5=100
`
	zebraServer = `<yazgfs><listen id="l">tcp:%s</listen><server id="s" listenref="l"><directory>%s</directory><config>zebra.cfg</config><cql2rpn>pqf.properties</cql2rpn>
<retrievalinfo><retrieval syntax="usmarc" name="F"/><retrieval syntax="xml" name="marcxml"><backend syntax="usmarc" name="F">
<marc inputformat="marc" outputformat="marcxml" inputcharset="utf-8"/></backend></retrieval></retrievalinfo></server></yazgfs>
`
	realRecords = "../internal/marc/testdata/loc.mrc"
)

// zebra starts a server with the real records and returns its address.
func zebra(t *testing.T) string {
	t.Helper()
	modules, _ := filepath.Glob("/usr/lib/*/idzebra-2.0/modules")
	if _, err := exec.LookPath("zebrasrv"); err != nil || len(modules) == 0 {
		t.Fatal("zebrasrv of the Debian package idzebra-2.0 is needed; scripts/install-test-deps installs it")
	}
	records, err := filepath.Abs(realRecords)
	testkit.NoError(t, err)
	dir, host := t.TempDir(), testkit.FreeAddress(t)
	testkit.NoError(t, os.Mkdir(filepath.Join(dir, "reg"), 0o700))
	for name, text := range map[string]string{
		"library.abs": zebraIndex, "pqf.properties": zebraQueries, "server.xml": fmt.Sprintf(zebraServer, host, dir),
		"zebra.cfg": fmt.Sprintf("profilePath: %s:/usr/share/idzebra-2.0/tab\nmodulePath: %s\nrecordType: grs.marcxml.library\nattset: bib1.att\nencoding: utf-8\nstoreKeys: 1\nstoreData: 1\nregister: %s/reg:50M\nlockDir: %s\n", dir, modules[0], dir, dir),
	} {
		testkit.NoError(t, os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600))
	}
	run := func(name string, args ...string) *exec.Cmd {
		cmd := exec.Command(name, args...)
		cmd.Dir = dir
		return cmd
	}
	for _, args := range [][]string{{"init"}, {"update", records}} {
		out, err := run("zebraidx", append([]string{"-c", "zebra.cfg"}, args...)...).CombinedOutput()
		if err != nil {
			t.Fatalf("zebraidx %v: %v\n%s", args, err, out)
		}
	}
	server := run("zebrasrv", "-S", "-f", "server.xml") // in one process
	var log bytes.Buffer
	server.Stdout, server.Stderr = &log, &log
	testkit.NoError(t, server.Start())
	t.Cleanup(func() {
		server.Process.Kill()
		server.Wait()
		if t.Failed() {
			t.Log(log.String())
		}
	})
	for {
		c, err := net.Dial("tcp", host)
		if err == nil {
			c.Close()
			return host
		}
		time.Sleep(20 * time.Millisecond)
	}
}

func TestZebraIsAskedForEveryISBNOfItsRecords(t *testing.T) {
	t.Parallel()
	file, err := os.Open(realRecords)
	testkit.NoError(t, err)
	defer file.Close()
	titles := map[string]string{} // of the first record with an ISBN
	var order []string
	for records := marc.NewReader(file, marc.Options{Format: marc.ISO2709}); ; {
		r, err := records.Read()
		if errors.Is(err, io.EOF) {
			break
		}
		testkit.NoError(t, err)
		for number := range bookfile.ISBNsOfMARC(r) {
			if key := isbn.Proven(number); titles[key] == "" {
				titles[key], order = ofRecord(r).Title, append(order, key)
			}
		}
	}
	const some = 12 // at five a second
	if len(order) < some {
		t.Fatalf("only %d records have an ISBN", len(order))
	}
	sources, err := ParseSources("sru+http://" + zebra(t) + "/Default")
	testkit.NoError(t, err)
	l := New(sources, Options{})
	for _, key := range order[:some] { // asked for with 13 digits, most of them are there with 10
		answers, err := l.Find(t.Context(), key)
		if err != nil || len(answers) != 1 || answers[0].Book.Title != titles[key] || !isbn.Same(answers[0].Book.ISBN, key) {
			t.Errorf("%s: %+v, %v instead of %q", key, answers, err, titles[key])
		}
	}
	_, err = l.Find(t.Context(), "9780306406157")
	testkit.ErrorIs(t, err, ErrUnknown)
	wrong, err := ParseSources("sru+http://" + sources[0].Name + "/Default?index=bath.nonsense")
	testkit.NoError(t, err)
	_, err = New(wrong, Options{}).Find(t.Context(), order[0])
	testkit.ErrorIs(t, err, ErrFailed) // it says so with a diagnostic
}
