package finding_test

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"example.org/library"
	"example.org/library/internal/pgtest"
	"example.org/library/internal/revcache"
	"example.org/library/internal/testdb"
	"example.org/library/internal/testkit"
	"example.org/library/sqlstore"
	"example.org/library/sqlstore/finding"
)

// A question that is planned in another way is the same question.
func TestACountDoesNotDependOnItsPlan(t *testing.T) {
	t.Parallel()
	for name, address := range databases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			store := prepared(t, address(t))
			finding.Exec(t, store.Catalogue, fmt.Sprintf(handBooks, 1, emmas))
			finding.Exec(t, store.Catalogue, `UPDATE books SET search_words = 'emma jane' WHERE search_words = 'emma'`)
			q := library.BookQuery{Terms: library.ParseTerms("emma jane")}
			for i, common := range []string{"nothing", "emma", "jane", "nothing"} {
				store.PretendCommon(common)
				n, err := store.CountBooks(t.Context(), q)
				if want := emmas + i*forged; n != want || err != nil {
					t.Errorf("while %s is common: %d and error %v, want %d", common, n, err, want)
				}
				finding.Exec(t, store.Catalogue, forgedEdit)
				finding.Exec(t, store.Catalogue, `INSERT INTO book_edits (delta, search_words, author_words) VALUES (1, 'emma', ''), (1, 'jane', '')`)
				finding.Exec(t, store.Catalogue, `UPDATE users SET locale = locale`)
			}
		})
	}
}

// beside begins a transaction that does not have to wait for others that are open:
// each of them holds one of the counters of the revision. It notes which one this has.
func beside(t *testing.T, db *sql.DB, held map[*sql.Tx]int) *sql.Tx {
	t.Helper()
	for {
		tx, err := db.BeginTx(t.Context(), nil)
		testkit.NoError(t, err)
		var counter int
		testkit.NoError(t, tx.QueryRow(`SELECT pg_current_xact_id()::text::bigint % 16`).Scan(&counter))
		if !slices.Contains(slices.Collect(maps.Values(held)), counter) {
			held[tx] = counter
			t.Cleanup(func() { tx.Rollback() })
			return tx
		}
		tx.Rollback()
	}
}

// editByHand edits books in a transaction by hand, and publishes that as the program does.
func editByHand(t *testing.T, tx *sql.Tx, words string, from, to int) {
	t.Helper()
	const publishEdits = `INSERT INTO book_edits (delta, search_words, author_words) SELECT $1, search_words, author_words FROM books
		WHERE created_at BETWEEN $2 AND $3 AND id NOT LIKE '0%'`
	testdb.Exec(t, tx, `SELECT set_config('library.publishes', 'on', true)`)
	testdb.Exec(t, tx, publishEdits, -1, from, to)
	testdb.Exec(t, tx, `UPDATE books SET search_words = `+words+` WHERE created_at BETWEEN $1 AND $2 AND id NOT LIKE '0%'`, from, to)
	testdb.Exec(t, tx, publishEdits, 1, from, to)
	testdb.Exec(t, tx, `UPDATE revision SET changes = changes + 1 WHERE part = pg_current_xact_id()::text::bigint % 16`)
}

// TestCountsWithTransactionsInAnyOrder edits books in transactions that begin and
// end in any order, some with enough edits to drop those of others, and counts at any
// time.
func TestCountsWithTransactionsInAnyOrder(t *testing.T) {
	t.Parallel()
	for seed := range uint64(testkit.Enough(8)) {
		t.Run(fmt.Sprint("seed ", seed), func(t *testing.T) {
			t.Parallel()
			r := rand.New(rand.NewPCG(seed, 1))
			address := databases["postgres"](t)
			store, db := prepared(t, address), connect(t, address)
			held := make(map[*sql.Tx]int)
			txs := make([]*sql.Tx, 5) // each edits ninety books of its own
			finding.Exec(t, store.Catalogue, fmt.Sprintf(handBooks, 1, 90*len(txs)))
			q := library.BookQuery{Terms: library.ParseTerms("emma")}
			for i := range 400 {
				n := r.IntN(len(txs))
				if txs[n] == nil {
					txs[n] = beside(t, db, held)
				}
				end := func(how func() error) {
					testkit.NoError(t, how())
					delete(held, txs[n])
					txs[n] = nil
				}
				switch what := r.IntN(12); {
				case what < 3:
					end(txs[n].Commit)
				case what == 3:
					end(txs[n].Rollback)
				case what < 8:
					books := []int{1, 3, 90, 90}[r.IntN(4)]
					editByHand(t, txs[n], `CASE search_words WHEN 'emma' THEN 'persuasion' ELSE 'emma' END`, 90*n+1, 90*n+books)
				default:
					got, err := store.CountBooks(t.Context(), q)
					if want := finding.CountAnew(t, store.Catalogue, q); got != want || err != nil {
						t.Fatalf("step %d: got %d and error %v, want %d", i, got, err, want)
					}
				}
			}
		})
	}
}

// A transaction with more edits than are stored drops the oldest, but not its own:
// nobody else can have counted them.
func TestATransactionDoesNotDropItsOwnEdits(t *testing.T) {
	t.Parallel()
	address := databases["postgres"](t)
	store, db := prepared(t, address), connect(t, address)
	finding.Exec(t, store.Catalogue, fmt.Sprintf(handBooks, 1, emmas))
	q := library.BookQuery{Terms: library.ParseTerms("emma")}
	wantCount := func(want int) {
		t.Helper()
		if got, err := store.CountBooks(t.Context(), q); got != want || err != nil {
			t.Errorf("got %d and error %v, want %d", got, err, want)
		}
	}
	held := make(map[*sql.Tx]int)
	first, second, others := beside(t, db, held), beside(t, db, held), beside(t, db, held)
	editByHand(t, first, `'persuasion'`, 1, 1)
	editByHand(t, second, `'persuasion'`, 2, 2)
	for i := range 10 { // more than are kept
		editByHand(t, others, []string{`'sense'`, `'sensibility'`}[i%2], 101, 140)
	}
	testkit.NoError(t, others.Commit())
	editByHand(t, second, `'persuasion'`, 3, 90)
	testkit.NoError(t, first.Commit())
	wantCount(emmas - 41)
	testkit.NoError(t, second.Commit())
	wantCount(emmas - 41 - 89)
}

// After these a number of a transaction may be that of another one.
func TestACountDoesNotOutliveTheNumbersOfTransactions(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		rule      string
		onStandby bool
		happens   func(t *testing.T, cluster *pgtest.Cluster, address string)
	}{
		{"the server is started anew", false, func(t *testing.T, cluster *pgtest.Cluster, _ string) {
			cluster.Stop(t, pgtest.Fast)
			cluster.Start(t)
		}},
		{"a process of the server crashes", false, func(t *testing.T, _ *pgtest.Cluster, address string) {
			var pid int
			testkit.NoError(t, connect(t, address).QueryRow(`SELECT pg_backend_pid()`).Scan(&pid))
			bystander, err := connect(t, address).Conn(t.Context())
			testkit.NoError(t, err)
			defer bystander.Close()
			testkit.NoError(t, syscall.Kill(pid, syscall.SIGKILL))
			testkit.Eventually(t, "the end of all connections", func() bool { return bystander.PingContext(t.Context()) != nil })
		}},
		{"a standby server takes over", true, func(t *testing.T, cluster *pgtest.Cluster, _ string) { cluster.Promote(t) }},
	} {
		t.Run(c.rule, func(t *testing.T) {
			t.Parallel()
			cluster := pgtest.Own(t)
			address := cluster.Database(t, "library")
			finding.Exec(t, prepared(t, address).Catalogue, fmt.Sprintf(handBooks, 1, emmas))
			if c.onStandby {
				cluster = cluster.Standby(t)
				address = cluster.DatabaseURL("library")
			}
			store, err := sqlstore.Open(t.Context(), address)
			testkit.NoError(t, err)
			defer store.Close()
			ctx := library.WithStoreTimeout(t.Context(), time.Minute)
			wantCount := func() {
				t.Helper()
				n, err := store.CountBooks(ctx, library.BookQuery{Terms: library.ParseTerms("emma")})
				if n != emmas || err != nil {
					t.Errorf("got %d and error %v, want %d", n, err, emmas)
				}
			}
			wantCount()
			c.happens(t, cluster, address)
			testkit.Eventually(t, "an edit", func() bool { return finding.TryExec(store.Catalogue, forgedEdit) == nil })
			finding.Exec(t, store.Catalogue, `UPDATE users SET locale = locale`)
			wantCount()
		})
	}
}

// A transaction that was prepared survives a restart, and its edits have the number
// of the server's start before.
func TestACountKnowsATransactionThatWasPreparedBeforeTheServerWasStarted(t *testing.T) {
	t.Parallel()
	cluster := pgtest.Own(t)
	address := cluster.Database(t, "library")
	restart := func() {
		cluster.Stop(t, pgtest.Fast)
		cluster.Start(t)
	}
	cluster.Exec(t, `ALTER SYSTEM SET max_prepared_transactions = 1`)
	restart()
	store := prepared(t, address)
	finding.Exec(t, store.Catalogue, fmt.Sprintf(handBooks, 1, emmas))
	testkit.NoError(t, testkit.Err(connect(t, address).Exec(`BEGIN; `+forgetByHand+`; PREPARE TRANSACTION 'edit'`)))
	restart()
	wantEmmas := func(want int) {
		t.Helper()
		n, err := store.CountBooks(t.Context(), library.BookQuery{Terms: library.ParseTerms("emma")})
		if n != want || err != nil {
			t.Errorf("%d books, %v; want %d", n, err, want)
		}
	}
	wantEmmas(emmas)
	testkit.NoError(t, testkit.Err(connect(t, address).Exec(`COMMIT PREPARED 'edit'`)))
	wantEmmas(emmas - 1)
}

func TestManyWhoWantTheSameCountWaitForOne(t *testing.T) {
	t.Parallel()
	onEach(t, func(t *testing.T, store *sqlstore.Store) {
		var counted atomic.Int64
		var wg sync.WaitGroup
		for range 30 {
			wg.Go(func() {
				n, err := store.KeepCount(t.Context(), "the same", func() int {
					time.Sleep(20 * time.Millisecond)
					return 7 + int(counted.Add(1))
				})
				if n != 8 || err != nil {
					t.Errorf("%d, %v", n, err)
				}
			})
		}
		wg.Wait()
	})
}

// What was counted before a change is good for nobody who came after it: they share
// the next count.
func TestThoseWhoWaitForACountShareTheNext(t *testing.T) {
	t.Parallel()
	onEach(t, func(t *testing.T, store *sqlstore.Store) {
		begun, end := make(chan struct{}), make(chan struct{})
		var counted atomic.Int64
		ask := func() (int, error) {
			return store.KeepCount(t.Context(), "the same", func() int {
				n := counted.Add(1)
				if n == 1 {
					close(begun)
					<-end
				}
				return int(n)
			}, revcache.Anything)
		}
		var wg sync.WaitGroup
		wg.Go(func() {
			if n, err := ask(); n != 1 || err != nil {
				t.Errorf("the first: %d, %v", n, err)
			}
		})
		<-begun
		finding.Exec(t, store.Catalogue, fmt.Sprintf(handBooks, 1, 1))
		for range 20 {
			wg.Go(func() {
				if n, err := ask(); n != 2 || err != nil {
					t.Errorf("who came later: %d, %v", n, err)
				}
			})
		}
		testkit.Eventually(t, "all of them wait", func() bool { return store.WhoWaitForCounts() == 21 })
		close(end)
		wg.Wait()
	})
}

// Who does not wait any more keeps nobody else waiting.
func TestWhoWaitsForACountMayGo(t *testing.T) {
	t.Parallel()
	store := open(t, databases["sqlite"](t))
	begun, end := make(chan struct{}), make(chan struct{})
	first := make(chan error)
	go func() {
		_, err := store.KeepCount(t.Context(), "the same", func() int { close(begun); <-end; return 1 })
		first <- err
	}()
	<-begun
	gone, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := store.KeepCount(gone, "the same", func() int { return 2 }); !errors.Is(err, context.Canceled) {
		t.Errorf("who has gone gets %v", err)
	}
	close(end)
	if err := <-first; err != nil {
		t.Error(err)
	}
	if n, err := store.KeepCount(t.Context(), "the same", func() int { return 3 }); n != 1 || err != nil {
		t.Errorf("%d, %v", n, err)
	}
}
