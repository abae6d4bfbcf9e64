package sqlstore

import (
	"context"
	"time"

	"example.org/library"
	"example.org/library/sqlstore/engine"
)

// UnknownCards returns the times of the station's latest unknown cards, the newest first.
func (t *tx) UnknownCards(ctx context.Context, stationID string) ([]time.Time, error) {
	return engine.Collect(ctx, t.sql, "read unknown cards", func(r engine.Row) (time.Time, error) {
		var at int64
		err := r.Scan(&at)
		return engine.FromMicro(at), err
	}, `SELECT tried_at FROM unknown_cards WHERE station_id = $1 ORDER BY tried_at DESC LIMIT $2`, stationID, library.MaxUnknownCards)
}

// AddUnknownCard records an unknown card, and deletes those before an instant.
func (t *tx) AddUnknownCard(ctx context.Context, stationID string, at, before time.Time) error {
	w := writer{ctx: ctx, tx: t.sql}
	w.exec("delete unknown cards", `DELETE FROM unknown_cards WHERE station_id = $1 AND tried_at < $2`, stationID, before.UnixMicro())
	w.exec("add unknown card", `INSERT INTO unknown_cards (station_id, tried_at) VALUES ($1, $2)`, stationID, at.UnixMicro())
	return w.err
}
