package sqlstore

import (
	"context"
	"database/sql/driver"

	"github.com/jackc/pgx/v5/stdlib"
)

// postgresConnector makes connections of which the pool can see whether they are
// still open. A statement that is given up closes its connection; without this the
// pool hands it to the next caller in line, who is told "bad connection".
type postgresConnector struct{ driver.Connector }

func (c postgresConnector) Connect(ctx context.Context) (driver.Conn, error) {
	conn, err := c.Connector.Connect(ctx)
	if err != nil {
		return nil, err
	}
	return postgresConn{conn.(*stdlib.Conn)}, nil
}

type postgresConn struct{ *stdlib.Conn }

var _ driver.Validator = postgresConn{}

// IsValid is asked before a connection goes back into the pool.
func (c postgresConn) IsValid() bool { return !c.Conn.Conn().IsClosed() }
