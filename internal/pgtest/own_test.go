package pgtest

import (
	"context"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"example.org/library/internal/testkit"
)

// query connects and asks for one number, within a second or, on a busy machine, longer.
func query(address, text string) (n int, err error) {
	ctx, cancel := context.WithTimeout(context.Background(), testkit.Bound(time.Second))
	defer cancel()
	conn, err := pgx.Connect(ctx, address)
	if err != nil {
		return 0, err
	}
	defer conn.Close(context.Background())
	err = conn.QueryRow(ctx, text).Scan(&n)
	return n, err
}

func TestAClusterOfOnesOwn(t *testing.T) {
	t.Parallel()
	c := Own(t)
	address := c.Database(t, "own")
	want := func(when string, address string, want int) {
		t.Helper()
		n, err := -1, error(nil)
		for deadline := time.Now().Add(testkit.Timeout(t)); n != want && time.Now().Before(deadline); time.Sleep(20 * time.Millisecond) {
			n, err = query(address, `SELECT count(*) FROM kept`)
		}
		if n != want {
			t.Fatalf("%s: %d records, %v; want %d", when, n, err, want)
		}
	}
	if _, err := query(address, `CREATE TABLE kept AS SELECT 1 AS n`); err != nil && err.Error() != "no rows in result set" {
		t.Fatal(err)
	}
	for _, how := range []Shutdown{Fast, Immediate} {
		c.Stop(t, how)
		if _, err := query(address, `SELECT 1`); err == nil {
			t.Fatal("a server that is stopped answers")
		}
		c.Start(t)
		want("after a stop", address, 1)
	}
	c.Freeze(t)
	if _, err := query(address, `SELECT 1`); err == nil {
		t.Fatal("a server that is frozen answers")
	}
	c.Thaw(t)
	want("after a freeze", address, 1)

	standby := c.Standby(t)
	testkit.NoError(t, testkit.Err(query(address, `INSERT INTO kept VALUES (2) RETURNING 1`)))
	c.Stop(t, Immediate)
	standby.Promote(t)
	want("after a failover", standby.DatabaseURL("own"), 2)
	if _, err := query(standby.DatabaseURL("own"), `INSERT INTO kept VALUES (3) RETURNING 1`); err != nil {
		t.Fatalf("the standby that was promoted does not write: %v", err)
	}
}
