package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"
	"golang.org/x/sync/errgroup"

	"example.org/library"
	"example.org/library/cli/command"
	"example.org/library/devidp"
	"example.org/library/internal/httpserver"
	"example.org/library/mail/mailbox"
)

// demoConfig configures `library demo`.
type demoConfig struct {
	data      string
	ephemeral bool
	port      string
	name      string
	logLevel  slog.Level
}

func (c *demoConfig) settings() []setting {
	all := []setting{
		{flag: "data", value: "./library-data", usage: "folder for the database, the keys and the mails", set: text(&c.data)},
		{flag: "ephemeral", value: "false", boolean: true, usage: "keep nothing when it stops", set: boolean(&c.ephemeral)},
		{flag: "port", usage: "first of three ports in a row, or 0 for free ones; by default 4200, 9091 and 8080", set: portNumber(&c.port)},
		{flag: "log-level", value: "warn", usage: "debug, info, warn or error", set: logLevel(&c.logLevel)},
	}
	return append(inGroup("DEMO_", all), nameSetting(&c.name))
}

func (c *demoConfig) check() []command.Problem {
	if !c.ephemeral && c.data == "" {
		return []command.Problem{problem("--data", "is empty; name a folder, or say --ephemeral")}
	}
	return nil
}

// portNumber is a port with two more above it, or 0, or nothing.
func portNumber(into *string) func(string) error {
	return valid(into, "a port number, or 0 for free ports", func(v string) (string, bool) {
		n, err := strconv.Atoi(v)
		return v, v == "" || err == nil && n >= 0 && n <= 65533
	})
}

func newDemo(env command.Environment) *cobra.Command {
	cfg := &demoConfig{}
	return newConfigured(&cobra.Command{
		Use:   "demo",
		Short: "Run everything on this machine, with sample users and books",
		Long: `Run everything on this machine, with nothing else to install: the development
identity provider, the API and the browser client, with sample users and books.
Some of the books are lent, overdue or reserved. The mails about them are kept in the
folder and shown in a mailbox; nobody gets them.

Ctrl-C stops it. The data stays in the folder of --data for the next start, unless
it runs with --ephemeral.`,
		Example: `  library demo
  library demo --ephemeral --port 0`,
	}, env, cfg, untilStopped(func(cmd *cobra.Command) error {
		log := newLogs(env.Stderr, "text", cfg.logLevel)
		thisBuild().log(log.Logger)
		return runDemo(cmd.Context(), cfg, env.Stdout, log)
	}))
}

// demoServers share the connections of the process.
const demoServers = 3

// demo is the three parts, each on an origin of its own.
type demo struct {
	web, api, idp net.Listener
	folder        string
}

func runDemo(ctx context.Context, cfg *demoConfig, out io.Writer, log *logs) error {
	d, err := bindDemo(cfg.port)
	if err != nil {
		return err
	}
	defer d.close()
	remove, err := d.openFolder(cfg)
	if err != nil {
		return err
	}
	defer remove()
	serveCfg, err := d.serveConfig(cfg.name)
	if err != nil {
		return err
	}
	provider, err := newProvider(d.issuer(), cfg.name, d.idpConfig(), filepath.Join(d.folder, "idp-keys.json"), log.Logger)
	if err != nil {
		return err
	}
	management, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	group, ctx := errgroup.WithContext(ctx)
	group.Go(func() error {
		return serveUntil(ctx, log.Logger,
			serving{server: newServer(atOwnName(d.idp, d.besideMailbox(provider)), log.Logger, httpserver.Connections(demoServers), certificates{}), listener: d.idp})
	})
	group.Go(func() error {
		return serveOn(ctx, serveCfg, log, listeners{api: d.api, web: d.web, management: management}, func() { d.welcome(out, cfg) })
	})
	err = group.Wait()
	fmt.Fprintln(out, "Stopped.")
	return err
}

// bindDemo binds the three addresses before anything else happens.
func bindDemo(port string) (*demo, error) {
	ports := []string{"4200", "9091", "8080"}
	if n, err := strconv.Atoi(port); err == nil {
		for i := range ports {
			ports[i] = strconv.Itoa(n)
			if n > 0 {
				n++
			}
		}
	}
	d := &demo{}
	for i, into := range []*net.Listener{&d.web, &d.api, &d.idp} {
		l, err := listenLocally(ports[i])
		if err != nil {
			d.close()
			return nil, fmt.Errorf("port %s is in use; choose three others with --port N, or free ones with --port 0: %w", ports[i], err)
		}
		*into = l
	}
	return d, nil
}

func (d *demo) close() {
	for _, l := range []net.Listener{d.web, d.api, d.idp} {
		if l != nil {
			l.Close()
		}
	}
}

// openFolder makes the folder for the data. The returned function removes a temporary one.
func (d *demo) openFolder(cfg *demoConfig) (remove func(), err error) {
	if cfg.ephemeral {
		d.folder, err = os.MkdirTemp("", "library-demo-")
		return func() { os.RemoveAll(d.folder) }, err
	}
	d.folder = cfg.data
	if err := os.MkdirAll(d.folder, 0o700); err != nil {
		return nil, fmt.Errorf("--data: %w", err)
	}
	return func() {}, nil
}

func (d *demo) issuer() string { return localAddress(d.idp) + realmPath }

func (d *demo) mails() string { return filepath.Join(d.folder, "mails") }

// besideMailbox shows the mails at the provider's address, where people of the demonstration have their
// accounts, and not at the client's: there are the tokens.
func (d *demo) besideMailbox(provider http.Handler) http.Handler {
	mails := mailbox.New(d.mails())
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if strings.HasPrefix(r.URL.Path, mailbox.Path) {
			mails.ServeHTTP(w, r)
			return
		}
		provider.ServeHTTP(w, r)
	})
}

func (d *demo) apiAddress() string { return localAddress(d.api) + "/library-server" }

func (d *demo) serveConfig(name string) (*serveConfig, error) {
	cfg := &serveConfig{}
	args := []string{
		"--issuer", d.issuer(), "--client-origin", strings.TrimPrefix(localAddress(d.web), "http://"),
		"--web", "--web-addr", d.web.Addr().String(), "--web-api", d.apiAddress(),
		"--database", "sqlite:" + filepath.Join(d.folder, "library.db"), "--sample-data", "--name", name, "--drain", "0s",
		"--smtp", "maildir:" + d.mails(), "--mail-from", "library@example.com", "--public-url", localAddress(d.web),
		"--logout", "--logout-audience", strings.Join(d.clients(), ","), "--scim",
	}
	none := func(string) (string, bool) { return "", false }
	_, bad := load(cfg.settings(), args, none)
	var problems []error
	for _, f := range append(bad, cfg.check()...) {
		problems = append(problems, errors.New(f.Where+" "+f.Message))
	}
	cfg.ownNameOnly, cfg.secondShelf, cfg.sharing, cfg.mails.anyAddress = true, true, demoServers, true
	return cfg, errors.Join(problems...)
}

// clients are the names of the clients of the provider.
func (d *demo) clients() (ids []string) {
	for _, c := range d.idpConfig().Clients {
		ids = append(ids, c.ID)
	}
	return ids
}

// idpConfig is the built-in one, with the web client and the library where they are.
func (d *demo) idpConfig() devidp.Config {
	config := devidp.DefaultConfig()
	origin := localAddress(d.web)
	for i := range config.Clients {
		c := &config.Clients[i]
		c.BackchannelLogoutURI = d.apiAddress() + "/logout"
		if c.ID == "library-web" {
			c.RedirectURIs = []string{origin + "/"}
			c.PostLogoutRedirectURIs = []string{origin + "/"}
			c.WebOrigins = []string{origin}
		}
	}
	return config
}

// welcome prints the addresses and the first commands.
func (d *demo) welcome(out io.Writer, cfg *demoConfig) {
	fmt.Fprintf(out, "The library is running. It is a demonstration: the passwords are well known.\n\n")
	table := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	fmt.Fprintf(table, "  web client\t%s/\n  API\t%s\n  identity provider\t%s\n  mailbox\t%s\n\n",
		localAddress(d.web), d.apiAddress(), d.issuer(), localAddress(d.idp)+mailbox.Path)
	fmt.Fprintf(table, "  login\tpassword\tmay\n")
	for _, u := range d.idpConfig().Users {
		fmt.Fprintf(table, "  %s\t%s\t%s\n", u.Username, u.Password, cmp.Or(mayDo(u.Groups), "lend and take back at the page /station, with cards"))
	}
	table.Flush()
	fmt.Fprintf(out, "\nFor the desk: sample readers have the cards R0001 to R0007, sample copies the barcodes B0001 to B0022.\n")
	client := d.idpConfig().Clients[slices.IndexFunc(d.idpConfig().Clients, func(c devidp.Client) bool { return c.ID == "library-client" })]
	fmt.Fprintf(out, `
Get a token and list the books:

  TOKEN=$(curl -s %s \
    -d grant_type=password -d client_id=%s -d client_secret=%s \
    -d username=bwayne -d password=wayne | sed 's/.*"access_token":"\([^"]*\)".*/\1/')
  curl -s -H "Authorization: Bearer $TOKEN" %s/books

Or sign in at this terminal:

  %s

`, d.issuer()+"/protocol/openid-connect/token", client.ID, client.Secret, d.apiAddress(), d.loginCommand())
	if cfg.ephemeral {
		fmt.Fprintln(out, "Ctrl-C stops it; nothing is kept.")
	} else {
		fmt.Fprintf(out, "Ctrl-C stops it; the data stays in %s.\n", d.folder)
	}
}

// loginCommand signs a person in to this demo. The usual addresses go without
// saying.
func (d *demo) loginCommand() string {
	login := os.Args[0] + " login" // as it was typed for the demo
	if d.apiAddress() != command.DemoServer {
		login += " --server " + d.apiAddress() + " --issuer " + d.issuer()
	}
	return login
}

func mayDo(groups []string) string {
	words := map[string]string{
		library.RoleUser.Scope():    "borrow and return books",
		library.RoleCurator.Scope(): "add, edit and delete books, and lend them at the desk",
		library.RoleAdmin.Scope():   "manage users",
	}
	var all []string
	for _, g := range groups {
		if w := words[g]; w != "" {
			all = append(all, w)
		}
	}
	return strings.Join(all, "; ")
}
