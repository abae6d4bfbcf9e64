package postgres

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"time"

	"example.org/library"
	"example.org/library/sqlstore/engine"
)

// migrationTimeout is how long the start of a program waits for another
// that is migrating, and for the locks of its own migration.
const migrationTimeout = 2 * time.Minute

// Migrate migrates while no other program does. After a long wait for a lock, a migration is rolled back and tried
// again, so writers meanwhile never wait behind it for long.
func (e *Engine) Migrate(ctx context.Context, up, _ func(context.Context) ([]string, error)) ([]string, error) {
	ctx = library.WithStoreTimeout(ctx, migrationTimeout)
	var applied []string
	deadline := time.Now().Add(migrationTimeout)
	for {
		more, err := e.migrateAlone(ctx, up)
		applied = append(applied, more...)
		kind := diagnose(err).Kind
		isBusy := errors.Is(err, errMigrating) || kind == engine.LockTimeout || kind == engine.TryAgain
		switch {
		case !isBusy && kind != engine.ConnectionLost:
			return applied, err
		case time.Now().After(deadline) && isBusy:
			return applied, fmt.Errorf("the schema could not be changed within %v, because its tables were in use all the time; "+
				"try again when less happens, or when the backup that is running has ended: %w", migrationTimeout, err)
		case time.Now().After(deadline):
			return applied, err
		}
		select {
		case <-time.After(50*time.Millisecond + rand.N(200*time.Millisecond)):
		case <-ctx.Done():
			return applied, Error(ctx, "migrate", err)
		}
	}
}

var errMigrating = errors.New("sqlstore: another program is changing the schema")

// migrateAlone migrates under a lock.
func (e *Engine) migrateAlone(ctx context.Context, up func(context.Context) ([]string, error)) ([]string, error) {
	release, err := e.lock(ctx, migrationLock)
	switch {
	case err != nil:
		return nil, Error(ctx, "migrate", err)
	case release == nil:
		return nil, errMigrating
	}
	defer release()
	applied, err := up(ctx)
	if err == nil {
		_, err = e.pool.ExecContext(ctx, dropForeignChanges)
		err = Error(ctx, "correct the history", err)
	}
	return applied, err
}

// FinishMigration has nothing to do: the server looks after its files.
func (e *Engine) FinishMigration(context.Context) error { return nil }
