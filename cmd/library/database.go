package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"

	"example.org/library/sqlstore"
)

// openStore opens the database and brings its schema up to date, or makes sure
// that it is.
func openStore(ctx context.Context, url string, migrate bool, log *slog.Logger) (*sqlstore.Store, error) {
	store, err := sqlstore.Open(ctx, url)
	if err != nil {
		return nil, fmt.Errorf("--database: %w", err)
	}
	if migrate {
		applied, err := store.Migrate(ctx)
		if err != nil {
			store.Close()
			return nil, fmt.Errorf("--database: %w", err)
		}
		for _, name := range applied {
			log.Info("migrated", "migration", name)
		}
		return store, nil
	}
	pending, err := store.Pending(ctx)
	if err == nil && len(pending) > 0 {
		err = errors.New("the schema is not up to date; run 'library migrate', or serve without --migrate=false")
	}
	if err != nil {
		store.Close()
		return nil, fmt.Errorf("--database: %w", err)
	}
	return store, nil
}
