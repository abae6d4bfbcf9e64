//go:build !race

package e2e

import (
	"bufio"
	"fmt"
	"io"
	"os/exec"
	"strings"
	"testing"
	"time"

	"example.org/library/internal/testkit"
)

// deskPipe is a `library desk` in a pipe: a scan goes in, an answer comes out.
type deskPipe struct {
	t      *testing.T
	cmd    *exec.Cmd
	in     io.WriteCloser
	out    *bufio.Reader
	stderr strings.Builder
}

func openDesk(t *testing.T, s *server, verb string) *deskPipe {
	t.Helper()
	c := &deskPipe{t: t, cmd: exec.Command(binary, "desk", verb)}
	c.cmd.Env = []string{"HOME=" + t.TempDir(), "LIBRARY_SERVER=" + s.base, "LIBRARY_TOKEN=" + s.as(t, curator).token}
	c.cmd.Stderr = &c.stderr
	var err error
	if c.in, err = c.cmd.StdinPipe(); err != nil {
		t.Fatal(err)
	}
	out, err := c.cmd.StdoutPipe()
	testkit.NoError(t, err)
	c.out = bufio.NewReader(out)
	testkit.NoError(t, c.cmd.Start())
	return c
}

// scan waits for the answer, as who scans does.
func (c *deskPipe) scan(code, want string) {
	c.t.Helper()
	testkit.NoError(c.t, testkit.Err(io.WriteString(c.in, code+"\n")))
	answer, err := c.out.ReadString('\n')
	if err != nil || !strings.Contains(answer, want) {
		c.in.Close()
		c.cmd.Wait()
		c.t.Fatalf("the answer to %s is %q (%v), want %q\n%s", code, answer, err, want, c.stderr.String())
	}
}

func (c *deskPipe) close(summary string) {
	c.t.Helper()
	c.in.Close()
	if err := c.cmd.Wait(); err != nil || !strings.Contains(c.stderr.String(), summary) {
		c.t.Errorf("%v, want %q\n%s", err, summary, c.stderr.String())
	}
}

func TestMeasuredFiveHundredBooksAreLentAndTakenBackAtTheDesk(t *testing.T) {
	onEachDatabase(t, func(t *testing.T, database string) {
		const pairs = 500
		s := startOn(t, database)
		desk := s.as(t, curator)
		for i := range pairs {
			added := into[book](desk.post("/books", map[string]any{"title": fmt.Sprintf("Title %d", i), "copies": 0}).want(201))
			desk.post("/books/"+added.Identifier+"/copies", map[string]any{"barcode": fmt.Sprintf("B-%d", i), "shelf": "A 1"}).want(201)
		}
		s.as(t, admin).put("/users/"+bruceWayne, map[string]any{
			"email": reader.email, "firstName": "Bruce", "lastName": "Wayne", "card": "CARD-7",
		}).want(200)

		lend, takeBack := openDesk(t, s, "lend"), openDesk(t, s, "return")
		lend.scan("CARD-7", "Lending to Bruce Wayne, who has nothing yet.")
		began := time.Now()
		for i := range pairs {
			code := fmt.Sprintf("B-%d", i)
			lend.scan(code, fmt.Sprintf(`Lent "Title %d" to Bruce Wayne until `, i))
			takeBack.scan(code, fmt.Sprintf(`"Title %d" is back from Bruce Wayne. Put it back: A 1.`, i))
		}
		took := time.Since(began)
		lend.close("Lent 500 books to 1 reader.")
		takeBack.close("Took 500 books back.")
		t.Logf("%d pairs in %v: %.0f a second", pairs, took.Round(time.Millisecond), pairs/took.Seconds())
		desk.get("/loans").want(200).wantHeader("X-Total-Count", "0")
	})
}
