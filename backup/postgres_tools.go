package backup

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"net/url"
	"os"
	"os/exec"
	"strings"
	"time"

	"example.org/library/sqlstore"
)

// run runs one of PostgreSQL's own programs. Everything about the database is in its environment: the arguments of a
// program can be read by everybody on the machine, and a password may be in the address.
func (d postgresDatabase) run(ctx context.Context, out io.Writer, program string, args ...string) error {
	path, err := findTool(program)
	if err != nil {
		return err
	}
	settings, err := libpqSettings(d.address)
	if err != nil {
		return err
	}
	cmd := exec.CommandContext(ctx, path, args...)
	cmd.Env = append(os.Environ(), settings...)
	cmd.Env = append(cmd.Env, "LC_MESSAGES=C", "LC_ALL=C", "TZ=UTC") // explainTool and Made read what it says
	cmd.Stdout = out
	cmd.Cancel = func() error { return cmd.Process.Signal(os.Interrupt) } // it makes the server stop, too
	cmd.WaitDelay = 5 * time.Second
	said := &firstBytes{most: 4 << 10}
	cmd.Stderr = said
	if err := cmd.Run(); err != nil {
		if ctx.Err() != nil {
			return fmt.Errorf("%s: %w", program, ctx.Err())
		}
		return explainTool(program, said.String(), err)
	}
	return nil
}

// findTool finds one of PostgreSQL's own programs.
func findTool(program string) (string, error) {
	path, err := exec.LookPath(program)
	if err != nil {
		return "", fmt.Errorf("%s is not installed; it comes with PostgreSQL's client programs (postgresql-client in Debian), "+
			"in the version of the server or a newer one", program)
	}
	return path, nil
}

// explainTool explains the failures with a common reason.
func explainTool(program, said string, err error) error {
	reason := ""
	switch {
	case strings.Contains(said, "server version mismatch"):
		reason = "it is older than the server; install the client programs of the server's version or a newer one"
	case strings.Contains(said, "unsupported version"):
		reason = "the copy was made by a newer pg_dump; install that version of PostgreSQL's client programs, or a newer one"
	case program != "pg_restore":
	case strings.Contains(said, "does not appear to be a valid archive"), strings.Contains(said, "input file is too short"),
		strings.Contains(said, "could not read from input file"), strings.Contains(said, "could not uncompress data"),
		strings.Contains(said, "unexpected end of file"), strings.Contains(said, "found unexpected block ID"),
		strings.Contains(said, "corrupt"), strings.Contains(said, "did not find magic string"):
		return &damagedDump{program + ": " + firstLine(said)}
	}
	return errors.New(program + ": " + cmp.Or(reason, firstLine(said), err.Error()))
}

// firstLine is the first complaint, without the name of the program before it.
func firstLine(said string) string {
	line, _, _ := strings.Cut(strings.TrimSpace(said), "\n")
	if _, rest, is := strings.Cut(line, "error: "); is {
		return rest
	}
	return line
}

// libpqVariables are the settings of an address that the programs know by another name. Others are the driver's own.
var libpqVariables = map[string]string{
	"host": "PGHOST", "hostaddr": "PGHOSTADDR", "port": "PGPORT", "user": "PGUSER", "dbname": "PGDATABASE", "password": "PGPASSWORD",
	"passfile": "PGPASSFILE", "sslmode": "PGSSLMODE", "sslcert": "PGSSLCERT", "sslkey": "PGSSLKEY", "sslrootcert": "PGSSLROOTCERT",
	"connect_timeout": "PGCONNECT_TIMEOUT", "target_session_attrs": "PGTARGETSESSIONATTRS", "service": "PGSERVICE", "servicefile": "PGSERVICEFILE",
}

// libpqSettings is an address as environment variables.
func libpqSettings(address string) ([]string, error) {
	u, err := url.Parse(address)
	if err != nil {
		return nil, sqlstore.ErrUnknownAddress // the error of the parser would show the address
	}
	settings := map[string]string{"PGAPPNAME": dumpName, "PGCONNECT_TIMEOUT": "10"}
	set := func(name, value string) {
		if variable, known := libpqVariables[name]; known && value != "" {
			settings[variable] = value
		}
	}
	var hosts, ports []string
	for host := range strings.SplitSeq(u.Host, ",") {
		one := url.URL{Host: host}
		hosts, ports = append(hosts, one.Hostname()), append(ports, one.Port())
	}
	set("host", strings.Join(hosts, ","))
	if list := strings.Join(ports, ","); strings.Trim(list, ",") != "" { // an empty one in the list is the usual one
		set("port", list)
	}
	set("user", u.User.Username())
	password, _ := u.User.Password()
	set("password", password)
	set("dbname", strings.TrimPrefix(u.Path, "/"))
	for name, values := range addressOptions(u) {
		set(name, values[0])
	}
	// Of several servers one takes changes, as for our own connections: the others
	// are behind it, and a backup would be, too.
	if strings.Contains(settings["PGHOST"], ",") && settings["PGTARGETSESSIONATTRS"] == "" && os.Getenv("PGTARGETSESSIONATTRS") == "" {
		settings["PGTARGETSESSIONATTRS"] = "read-write"
	}
	var list []string
	for name, value := range settings {
		list = append(list, name+"="+value)
	}
	return list, nil
}

// addressOptions returns the part after the ? in an address. There a + is a plus, for
// PostgreSQL's own programs and for the driver, and no space as in a form.
func addressOptions(u *url.URL) url.Values {
	plain := *u
	plain.RawQuery = strings.ReplaceAll(u.RawQuery, "+", "%2B")
	return plain.Query()
}

// firstBytes keeps the beginning of a text.
type firstBytes struct {
	bytes.Buffer
	most int
}

func (b *firstBytes) Write(p []byte) (int, error) {
	if room := b.most - b.Len(); room > 0 {
		b.Buffer.Write(p[:min(len(p), room)])
	}
	return len(p), nil
}
