package backup

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"io"
	"strings"
	"sync/atomic"

	"github.com/jackc/pgx/v5/pgconn"

	"example.org/library/sqlstore/postgres"
)

// sendSection has pg_restore write one section of a dump as SQL, and the server run it.
// Only the things in the schema: a schema or an extension belongs to somebody else.
func (d postgresDatabase) sendSection(ctx context.Context, conn *pgconn.PgConn, file, schema, section string) error {
	script, write := io.Pipe()
	ended := make(chan error, 1)
	go func() {
		err := d.run(ctx, write, "pg_restore", "--file=-", "--section="+section, "--schema="+schema, "--no-owner", "--no-privileges", file)
		write.CloseWithError(err) // the end of what can be read, if there is no error
		ended <- err
	}()
	send := sendStatements
	if section == "data" {
		send = sendRecords
	}
	err := send(ctx, conn, script)
	script.CloseWithError(errNotRead)
	// If pg_restore has failed, this is the reason for all other errors.
	if failed := <-ended; failed != nil && (err == nil || errors.Is(err, failed)) {
		return failed
	}
	return postgres.Error(ctx, "restore", err)
}

var (
	errNotRead = errors.New("the server did not accept what was before")
	errNoEnd   = errors.New("pg_restore has ended in the middle of a table")
)

// sendStatements sends a script without records. The server divides it into statements itself.
func sendStatements(ctx context.Context, conn *pgconn.PgConn, script io.Reader) error {
	text, err := io.ReadAll(script)
	if err != nil {
		return err
	}
	_, err = conn.Exec(ctx, onlySQL(string(text))).ReadAll()
	return err
}

// onlySQL leaves the lines for psql out of a script, and a setting that servers before version 17 do not know. Both are
// before the first object, and the former has an end with the same word.
func onlySQL(script string) string {
	const first = "\n-- Name: "
	head, objects, hasObjects := strings.Cut(script, first)
	if hasObjects {
		objects = first + objects
	}
	var kept strings.Builder
	for line := range strings.Lines(head) {
		switch word, is := strings.CutPrefix(line, `\restrict `); {
		case is:
			objects = strings.Replace(objects, "\n\\unrestrict "+word, "\n", 1)
		case !isNoise(line):
			kept.WriteString(line)
		}
	}
	return kept.String() + objects
}

func isNoise(line string) bool {
	return strings.HasPrefix(line, `\restrict `) || strings.HasPrefix(line, `\unrestrict `) || line == "SET transaction_timeout = 0;\n"
}

// sendRecords sends a script of records:
//
//	COPY public.books (seq, id, …) FROM stdin;
//	1	7d1c…
//	\.
//
// and statements between them, each on lines of its own.
func sendRecords(ctx context.Context, conn *pgconn.PgConn, script io.Reader) error {
	lines := bufio.NewReaderSize(script, 256<<10)
	var statements strings.Builder
	flush := func() error {
		_, err := conn.Exec(ctx, statements.String()).ReadAll()
		statements.Reset()
		return err
	}
	for {
		line, err := lines.ReadString('\n')
		if err != nil && err != io.EOF {
			return err
		}
		switch {
		case strings.HasPrefix(line, "COPY ") && strings.HasSuffix(line, " FROM stdin;\n"):
			if err := flush(); err != nil {
				return err
			}
			if err := copyRecords(ctx, conn, lines, line); err != nil {
				return err
			}
		case !isNoise(line):
			statements.WriteString(line)
		}
		if err == io.EOF {
			return flush()
		}
	}
}

// copyRecords sends the records of one table.
func copyRecords(ctx context.Context, conn *pgconn.PgConn, lines *bufio.Reader, statement string) error {
	rows := &recordReader{lines: lines, isStart: true}
	_, err := conn.CopyFrom(ctx, rows, statement)
	switch end := rows.end.Load(); {
	case end != nil && *end != io.EOF:
		return *end // the server says no more than that we gave up
	case end == nil && err == nil:
		return errNoEnd
	}
	return err
}

// recordReader reads up to the line that ends the records of a table, and fails where there is none: half of a table is
// none. The driver may still be reading when it has said that the connection is lost.
type recordReader struct {
	lines   *bufio.Reader
	rest    []byte // of what was read last
	isStart bool   // of a line

	end atomic.Pointer[error] // io.EOF, or what has failed; nil while it reads
}

func (r *recordReader) endWith(err error) error {
	r.end.Store(&err)
	return err
}

func (r *recordReader) Read(p []byte) (int, error) {
	if len(r.rest) == 0 {
		if err := r.next(); err != nil {
			return 0, err
		}
	}
	n := copy(p, r.rest)
	r.rest = r.rest[n:]
	return n, nil
}

// next reads a line, or as much of it as fits.
func (r *recordReader) next() error {
	if end := r.end.Load(); end != nil {
		return *end
	}
	line, err := r.lines.ReadSlice('\n')
	switch {
	case err == io.EOF:
		return r.endWith(errNoEnd)
	case err != nil && err != bufio.ErrBufferFull:
		return r.endWith(err)
	case r.isStart && bytes.Equal(line, []byte("\\.\n")):
		return r.endWith(io.EOF)
	}
	r.rest, r.isStart = line, err == nil
	return nil
}
