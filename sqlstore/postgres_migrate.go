package sqlstore

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"time"

	"example.org/library"
)

// postgresMigrationPatience is how long the start of a program waits for another
// that is migrating, and for the locks of its own migration.
const postgresMigrationPatience = 2 * time.Minute

// migratePostgres migrates while no other program does. A migration that waited
// too long for a lock is rolled back and tried again, so that those who write
// meanwhile never wait behind it for long.
func (s *Store) migratePostgres(ctx context.Context) ([]string, error) {
	ctx = library.WithStoreTimeout(ctx, postgresMigrationPatience)
	var applied []string
	deadline := time.Now().Add(postgresMigrationPatience)
	for {
		more, err := s.migrateAlone(ctx)
		applied = append(applied, more...)
		kind := diagnosePostgres(err).kind
		isBusy := errors.Is(err, errMigrating) || kind == lockTimeout || kind == tryAgain
		switch {
		case !isBusy && kind != connectionLost:
			return applied, err
		case time.Now().After(deadline) && isBusy:
			return applied, fmt.Errorf("the schema could not be changed within %v, because its tables were in use all the time; "+
				"try again when less happens, or when the backup that is running has ended: %w", postgresMigrationPatience, err)
		case time.Now().After(deadline):
			return applied, err
		}
		select {
		case <-time.After(50*time.Millisecond + rand.N(200*time.Millisecond)):
		case <-ctx.Done():
			return applied, dbError(ctx, "migrate", err)
		}
	}
}

var errMigrating = errors.New("sqlstore: another program is changing the schema")

// migrateAlone migrates under a lock.
func (s *Store) migrateAlone(ctx context.Context) ([]string, error) {
	release, err := s.lockPostgres(ctx, migrationLock)
	switch {
	case err != nil:
		return nil, dbError(ctx, "migrate", err)
	case release == nil:
		return nil, errMigrating
	}
	defer release()
	applied, err := s.migrate(ctx)
	if err == nil {
		_, err = s.write.ExecContext(ctx, dropForeignChanges)
		err = dbError(ctx, "correct the history", err)
	}
	return applied, err
}
