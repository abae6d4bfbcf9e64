package e2e

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"syscall"
	"testing"

	"github.com/google/go-cmp/cmp"

	"example.org/library/internal/pgtest"
	"example.org/library/internal/testidp"
	"example.org/library/internal/testkit"
)

// answers are the answers of a library, by caller and path.
type answers map[string]string

// askEverything asks for all that a person can see, each book by itself, too.
func askEverything(t *testing.T, s *server) answers {
	t.Helper()
	all := answers{}
	ask := func(who string, c caller, path string) []byte {
		r := s.as(t, c).get(path).want(200)
		all[who+" "+path] = string(r.Body) + "\n" + r.Header.Get("ETag")
		return r.Body
	}
	ask("admin", admin, "/users?limit=1000")
	ask("reader", reader, "/me")
	ask("reader", reader, "/me/books")
	ask("reader", reader, "/loans")
	ask("reader", reader, "/holds")
	ask("reader", reader, "/policy")
	var list []book
	testkit.NoError(t, json.Unmarshal(ask("curator", curator, "/books?limit=1000"), &list))
	for _, b := range list {
		if strings.Contains(string(ask("curator", curator, "/books/"+b.Identifier)), `"cover":`) {
			ask("reader", reader, "/books/"+b.Identifier+"/cover")
			ask("reader", reader, "/books/"+b.Identifier+"/cover?size=small")
		}
		ask("curator", curator, "/books/"+b.Identifier+"/copies")
	}
	if len(list) < sampleBooks {
		t.Fatalf("there are %d books", len(list))
	}
	return all
}

// TestTheDrill is what a backup is for: serve, write, back up while others write,
// lose everything, restore, serve again. Whatever was answered before the backup
// began is answered again.
func TestTheDrill(t *testing.T) {
	onEachDatabase(t, func(t *testing.T, database string) {
		s := startOn(t, database)
		for i := range 30 {
			s.as(t, curator).post("/books", map[string]any{"title": fmt.Sprintf("Before %d", i)}).want(201)
		}
		s.as(t, reader).post("/books/"+cleanCode+"/borrow", nil).want(200)
		s.as(t, reader2).post("/books/"+pride+"/borrow", nil).want(200)
		s.as(t, reader).post("/books/"+pride+"/holds", nil).want(201)
		s.as(t, curator).put("/books/"+cleanCode+"/cover", pictureOf(700, 1000), "Content-Type", "image/png").want(204)
		before := askEverything(t, s)
		if len(before["reader /books/"+cleanCode+"/cover"]) < 1000 {
			t.Error("the library has no cover")
		}
		stop := writeDuring(t, s)
		file := filepath.Join(t.TempDir(), "the.backup")
		o := runProgram(t, []string{"LIBRARY_DATABASE=" + database, "PATH=" + os.Getenv("PATH")}, "backup", file)
		if n := stop(); n == 0 {
			t.Error("nothing was written meanwhile")
		}
		if o.code != 0 || o.stdout != "" || !strings.Contains(o.stderr, file) {
			t.Fatalf("backup: %d %s%s", o.code, o.stdout, o.stderr)
		}
		s.Kill()
		target := destroy(t, database)

		restore := []string{"LIBRARY_DATABASE=" + target, "PATH=" + os.Getenv("PATH")}
		how := []string{"restore", file}
		if target == database { // the log of the lost file is still there
			if o := runProgram(t, restore, how...); o.code != 1 || !strings.Contains(o.stderr, "-wal") {
				t.Errorf("restore beside an old log: %d %s", o.code, o.stderr)
			}
			how = append(how, "--force")
		}
		if o := runProgram(t, restore, how...); o.code != 0 {
			t.Fatalf("restore: %d %s", o.code, o.stderr)
		}
		again := startWith(t, s.idp, "--database", target)
		if diff := cmp.Diff(before, matching(askEverything(t, again), before)); diff != "" {
			t.Errorf("what is answered (-before +restored)\n%s", diff)
		}
		again.as(t, reader).post("/books/"+cleanCode+"/return", nil).want(200) // life goes on
		if o := runProgram(t, restore, "restore", "--force", file); o.code != 1 || !strings.Contains(o.stderr, "stop the server") {
			t.Errorf("restore while it is served: %d %s", o.code, o.stderr)
		}
		again.awaitReady(t)
	})
}

// matching leaves out what was added while the backup was made, which may be in it
// or not: books, and the list of them.
func matching(got, before answers) answers {
	const list = "curator /books?limit=1000"
	out := answers{}
	for what, answer := range got {
		if _, asked := before[what]; asked && what != list {
			out[what] = answer
		}
	}
	out[list] = before[list]
	return out
}

// writeDuring adds books until it is stopped.
func writeDuring(t *testing.T, s *server) (stop func() int) {
	t.Helper()
	c := s.as(t, curator)
	ctx, cancel := context.WithCancel(context.Background())
	var working sync.WaitGroup
	written := 0
	working.Go(func() {
		for ; ctx.Err() == nil; written++ {
			if r, err := c.try("POST", "/books", map[string]any{"title": "Meanwhile"}); err != nil || r.Status != 201 {
				t.Errorf("while the backup is made: %d %v", r.Status, err)
				return
			}
		}
	})
	return func() int { cancel(); working.Wait(); return written }
}

// destroy is the disaster. It returns where to restore: to the same file, or to a
// new database.
func destroy(t *testing.T, database string) string {
	t.Helper()
	path, isSQLite := strings.CutPrefix(database, "sqlite:")
	if !isSQLite {
		return pgtest.URL(t)
	}
	testkit.NoError(t, os.WriteFile(path, []byte("the disk has lost its mind"), 0o600))
	if err := os.Remove(path); err != nil { // its log stays
		t.Fatal(err)
	}
	return database
}

func TestServeMakesBackupsAtAnInterval(t *testing.T) {
	onEachDatabase(t, func(t *testing.T, database string) {
		folder := filepath.Join(t.TempDir(), "backups")
		args := []string{"--database", database, "--sample-data", "--backup-every", "24h", "--backup-keep", "3", "--backup-dir", folder}
		idp := testidp.New(t)
		s := start(t, []string{"PATH=" + os.Getenv("PATH")}, append([]string{"--issuer", idp.Issuer()}, args...)...)
		s.idp = idp
		name := s.AwaitLog(t, regexp.MustCompile(`msg=backup file=(library-[0-9TZ]+\.(?:db\.gz|pgdump)) `))
		if _, err := os.Stat(filepath.Join(folder, name)); err != nil {
			t.Error(err)
		}
		s.awaitReady(t)
		_, body := s.manage(t, "/metrics")
		for _, line := range []string{`last_success_timestamp_seconds [1-9]`, `size_bytes [1-9]`, `failures_total 0$`} {
			if !regexp.MustCompile(`(?m)^library_backup_` + line).MatchString(body) {
				t.Errorf("the metrics have no line %q", line)
			}
		}
		if code := s.stop(t, syscall.SIGTERM); code != 0 {
			t.Errorf("exit code %d", code)
		}
		again := start(t, []string{"PATH=" + os.Getenv("PATH")}, append([]string{"--issuer", idp.Issuer()}, args...)...)
		again.idp = idp
		again.awaitReady(t)
		if found, _ := filepath.Glob(filepath.Join(folder, "*")); len(found) != 1 {
			t.Errorf("after a restart there are %q, want the one that is not old yet", found)
		}
	})
}

func TestAFullDiskLeavesNoBackup(t *testing.T) {
	t.Parallel()
	database := emptySQLite(t)
	s := startOn(t, database)
	disk := mountDisk(t, "64k")
	o := runProgram(t, nil, "backup", "--database", database, filepath.Join(disk, "library.db.gz"))
	if o.code != 1 || !strings.Contains(o.stderr, "no room left on the disk") {
		t.Errorf("backup: %d %s", o.code, o.stderr)
	}
	file := filepath.Join(t.TempDir(), "library.db.gz")
	if o := runProgram(t, nil, "backup", "--database", database, file); o.code != 0 {
		t.Fatalf("backup: %d %s", o.code, o.stderr)
	}
	o = runProgram(t, nil, "restore", "--database", "sqlite:"+filepath.Join(disk, "library.db"), file)
	if o.code != 1 || !strings.Contains(o.stderr, "nothing was restored: the disk of") {
		t.Errorf("restore: %d %s", o.code, o.stderr)
	}
	if left, err := os.ReadDir(disk); err != nil || len(left) > 0 {
		t.Errorf("%v is left on the disk (%v)", left, err)
	}
	s.as(t, reader).post("/books/"+cleanCode+"/borrow", nil).want(200) // the library has its own disk
}

// TestAPersonSeesHowFarABackupIs looks at a terminal, and at a pipe.
func TestAPersonSeesHowFarABackupIs(t *testing.T) {
	t.Parallel()
	database := emptySQLite(t)
	startOn(t, database)
	sh := sitDown(t, "LIBRARY_DATABASE="+database)
	for command, says := range map[string]string{
		"library backup b.db.gz": "The backup is in b.db.gz", "library backup - > c.db.gz": "",
	} {
		end := sh.run(command)
		if drawn := sh.shown(); !strings.Contains(drawn, "checking …") || !strings.Contains(drawn, "kB") || !strings.Contains(drawn, "writing") || strings.Contains(end, "checking") || !strings.Contains(end, says) {
			t.Errorf("%s at a terminal draws %q, and leaves %q", command, drawn, end)
		}
	}
	if end := sh.run("library backup -"); !strings.Contains(end, "library backup - > library.db.gz") || strings.Contains(end, "SQLite format") {
		t.Errorf("onto the screen: %q", end)
	}
	sh.run("library restore --database sqlite:new.db c.db.gz")
	if drawn := sh.shown(); !strings.Contains(drawn, "checking") || !strings.Contains(drawn, "is restored. The backup is from 2") {
		t.Errorf("restore at a terminal draws %q", drawn)
	}
	sh.run("library backup d.db.gz 2>&1 | cat")
	if drawn := sh.shown(); strings.Contains(drawn, "checking") || !strings.Contains(drawn, "The backup is in d.db.gz") {
		t.Errorf("in a pipe: %q", drawn)
	}
}
