package pgtest_test

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"example.org/library/internal/pgtest"
	"example.org/library/internal/testkit"
)

func connect(t *testing.T, url string) *pgx.Conn {
	t.Helper()
	conn, err := pgx.Connect(t.Context(), url)
	testkit.NoError(t, err)
	t.Cleanup(func() { conn.Close(context.Background()) })
	return conn
}

func query[T any](t *testing.T, conn *pgx.Conn, sql string) []T {
	t.Helper()
	rows, err := conn.Query(t.Context(), sql)
	testkit.NoError(t, err)
	values, err := pgx.CollectRows(rows, pgx.RowTo[T])
	testkit.NoError(t, err)
	return values
}

func TestEveryURLIsAnEmptyDatabaseOfItsOwn(t *testing.T) {
	t.Parallel()
	first, second := pgtest.URL(t), pgtest.URL(t)
	if first == second {
		t.Fatalf("the same address twice: %s", first)
	}
	testkit.NoError(t, testkit.Err(connect(t, first).Exec(t.Context(), "CREATE TABLE here (id text)")))
	const tables = "SELECT tablename::text FROM pg_tables WHERE schemaname = 'public'"
	if got := query[string](t, connect(t, second), tables); len(got) != 0 {
		t.Errorf("the second database holds %q, want nothing", got)
	}
}

func TestADatabaseIsDroppedWithItsTestEvenWhenInUse(t *testing.T) {
	t.Parallel()
	var address string
	t.Run("user", func(t *testing.T) {
		address = pgtest.URL(t)
		if _, err := pgx.Connect(t.Context(), address); err != nil { // left open
			t.Fatal(err)
		}
	})
	_, err := pgx.Connect(t.Context(), address)
	var pgErr *pgconn.PgError
	if !errors.As(err, &pgErr) || pgErr.Code != "3D000" {
		t.Errorf("connecting after the test: %v, want SQLSTATE 3D000", err)
	}
}

func TestTheServerIsUnlikeADevelopersMachine(t *testing.T) {
	t.Parallel()
	conn := connect(t, pgtest.URL(t))
	if got := query[bool](t, conn, "SELECT rolsuper FROM pg_roles WHERE rolname = current_user"); got[0] {
		t.Error("tests run as superuser")
	}
	if got := query[string](t, conn, "SHOW timezone"); got[0] == "UTC" {
		t.Error("the time zone is UTC")
	}
}

func TestLocale(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name string
		opts []pgtest.Option
		want []string
	}{
		{"by default text sorts as Americans do", nil, []string{"a", "ä", "B", "z"}},
		{"Swedish", []pgtest.Option{pgtest.Locale("sv-SE")}, []string{"a", "B", "z", "ä"}},
		{"bytes", []pgtest.Option{pgtest.Locale("C")}, []string{"B", "a", "z", "ä"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			conn := connect(t, pgtest.URL(t, tt.opts...))
			got := query[string](t, conn, "SELECT v FROM (VALUES ('z'), ('ä'), ('B'), ('a')) AS t(v) ORDER BY v")
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("order (-want +got):\n%s", diff)
			}
		})
	}
}

func TestDurable(t *testing.T) {
	t.Parallel()
	usual, durable := pgtest.URL(t), pgtest.URL(t, pgtest.Durable())
	if host(t, usual) == host(t, durable) {
		t.Errorf("both use the server at %s", host(t, usual))
	}
	for _, setting := range []string{"fsync", "full_page_writes", "synchronous_commit"} {
		if got := query[string](t, connect(t, durable), "SHOW "+setting); got[0] != "on" {
			t.Errorf("durable: %s is %s", setting, got[0])
		}
		if got := query[string](t, connect(t, usual), "SHOW "+setting); got[0] != "off" {
			t.Errorf("usual: %s is %s", setting, got[0])
		}
	}
}

func host(t *testing.T, address string) string {
	t.Helper()
	u, err := url.Parse(address)
	testkit.NoError(t, err)
	return u.Host
}

func TestACopyOfATemplateIsADatabaseOfItsOwn(t *testing.T) {
	t.Parallel()
	filled := 0
	template := pgtest.NewTemplate(func(address string) error {
		filled++
		conn, err := pgx.Connect(t.Context(), address)
		if err != nil {
			return err
		}
		_, err = conn.Exec(t.Context(), "CREATE TABLE here AS SELECT 1 AS n")
		return errors.Join(err, conn.Close(t.Context()))
	})
	first, second := connect(t, pgtest.URL(t, pgtest.From(template))), connect(t, pgtest.URL(t, pgtest.From(template)))
	testkit.NoError(t, testkit.Err(first.Exec(t.Context(), "INSERT INTO here VALUES (2)")))
	for name, c := range map[string]struct {
		conn *pgx.Conn
		want []int
	}{"the first": {first, []int{1, 2}}, "the second": {second, []int{1}}} {
		if got := query[int](t, c.conn, "SELECT n FROM here ORDER BY n"); !slices.Equal(got, c.want) {
			t.Errorf("%s holds %v, want %v", name, got, c.want)
		}
	}
	if filled != 1 {
		t.Errorf("the template was filled %d times", filled)
	}
}

func TestATemplateThatCannotBeFilledSaysWhy(t *testing.T) {
	t.Parallel()
	template := pgtest.NewTemplate(func(string) error { return errors.New("no room") })
	failed := &failing{TB: t}
	func() {
		defer func() { recover() }()
		pgtest.URL(failed, pgtest.From(template))
	}()
	if !strings.Contains(failed.said, "fill the template: no room") {
		t.Errorf("it says %q", failed.said)
	}
}

// failing is a test that notes why it has failed.
type failing struct {
	testing.TB
	said string
}

func (f *failing) Fatalf(format string, args ...any) {
	f.said = fmt.Sprintf(format, args...)
	panic("the test has failed")
}
