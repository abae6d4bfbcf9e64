package main

import (
	"crypto/tls"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"example.org/library/auth"
	"example.org/library/auth/claims"
	"example.org/library/auth/dpop"
	"example.org/library/cli/command"
	"example.org/library/httpapi"
	"example.org/library/lookup"
)

// serveConfig configures `library serve`.
type serveConfig struct {
	addr           string
	basePath       string
	managementAddr string
	drain          time.Duration
	hurry          <-chan struct{} // closed when the drain is to be skipped
	ownNameOnly    bool            // for the demo: no name but the machine's own is good at addr
	secondShelf    bool            // for the demo: sample books with loans and holds, too
	sharing        int             // servers in this process that share its connections; 0 for this one alone
	issuer         string
	jwksURL        string
	audience       string
	otherAudiences []string
	authorities    auth.Mode
	claims         claims.Mapping // without the mode, which is above
	userinfo       bool
	verifiedEmail  bool
	clockSkew      time.Duration
	dpop           dpop.Mode
	dpopNonce      bool
	publicAPI      string // address of the API as callers see it
	tellsResource  bool   // answers for the metadata of the API
	loginScopes    string // separated by spaces
	loginAudience  string
	origins        []string
	name           string
	database       string
	migrate        bool
	wait           time.Duration
	sampleData     bool
	bootstrapUser  string
	people         peopleConfig
	logout         logoutConfig
	scim           scimConfig
	mails          mailConfig
	lookup         lookupConfig
	public         publicConfig
	backups        backupSchedule
	webhooks       webhookConfig
	auth           string
	htpasswd       string
	tlsCert        string
	tlsKey         string
	acme           acmeConfig
	logFormat      string
	logLevel       slog.Level
	web            servedClient
	config         string
	printConfig    bool
	printFor       string   // name of a preset
	oldNames       []string // says which settings were given under a former name
}

func (c *serveConfig) settings() []setting {
	all := []setting{
		{flag: "addr", value: ":9091", usage: "address of the API", set: listenAddress(&c.addr)},
		{flag: "base-path", value: "/library-server", usage: "path of the API; / for none", set: basePath(&c.basePath)},
		{flag: "management-addr", value: "127.0.0.1:9092", usage: "address of health, readiness and metrics", set: listenAddress(&c.managementAddr)},
		{flag: "drain", value: "5s", usage: "how long requests are still taken after SIGTERM while /readyz says 503, at most 5m", set: duration(&c.drain, 5*time.Minute)},
		{flag: "issuer", usage: "issuer address of the identity provider, character for character; required with --auth bearer", set: webAddress(&c.issuer)},
		{flag: "jwks-url", usage: "address of the provider's key set; by default the one in its discovery document", set: webAddress(&c.jwksURL)},
		{flag: "audience", value: "library-service", usage: "audience required in a token's aud; one of several separated by commas", list: true, set: audienceList(&c.audience, &c.otherAudiences)},
		{flag: "authorities", value: "scope", usage: "where roles come from: " + claims.ModeNames(" or "), set: authorities(&c.authorities)},
		{flag: "require-verified-email", value: "false", boolean: true, usage: "refuse tokens without a verified e-mail address", set: boolean(&c.verifiedEmail)},
		{flag: "clock-skew", value: "0s", usage: "how late a token may be, at most 60s", set: duration(&c.clockSkew, time.Minute)},
		{flag: "client-origin", value: usualOrigin, usage: "host:port of the browser client; several separated by commas", list: true, set: hosts(&c.origins)},
		nameSetting(&c.name),
		{flag: "database", value: "sqlite:library.db", usage: "sqlite:FILE or postgres://USER@HOST/DATABASE", set: database(&c.database)},
		{flag: "migrate", value: "true", boolean: true, usage: "bring the database schema up to date at the start", set: boolean(&c.migrate)},
		waitSetting(&c.wait, "forever"),
		{flag: "sample-data", value: "false", boolean: true, usage: "add sample users and books to an empty database", set: boolean(&c.sampleData)},
		{flag: "bootstrap-user", usage: "e-mail address of a first admin, added when there is no user yet", set: emailAddress(&c.bootstrapUser)},
		{flag: "backup-every", former: "every", value: "0s", usage: "how often to make a backup, such as 24h; 0s for never", set: interval(&c.backups.every)},
		{flag: "backup-keep", former: "keep", value: "14", usage: "how many of these backups to keep, the newest", set: count(&c.backups.keep, 1, 10_000)},
		{flag: "backup-dir", usage: "folder for these backups, of this library alone; by default backups beside the SQLite file", set: text(&c.backups.folder)},
		{flag: "auth", value: "bearer", usage: "how callers authenticate: bearer or basic", set: oneOf(&c.auth, "bearer", "basic")},
		{flag: "htpasswd", usage: "bcrypt password file; required with --auth basic", set: text(&c.htpasswd)},
		{flag: "tls-cert", usage: "certificate file; without it the API speaks plain HTTP", set: text(&c.tlsCert)},
		{flag: "tls-key", usage: "private key file of the certificate", set: text(&c.tlsKey)},
		{flag: "log-format", value: "text", usage: "text or json", set: oneOf(&c.logFormat, "text", "json")},
		{flag: "log-level", value: "info", usage: "debug, info, warn or error", set: logLevel(&c.logLevel)},
	}
	all = slices.Concat(all, c.dpopSettings(), c.resourceSettings(), claimSettings(&c.claims, &c.userinfo), c.people.settings(), c.logout.settings(), c.scim.settings(), c.public.settings(), c.lookup.settings(), c.webhooks.settings(), c.mails.settings(), c.acme.settings(), c.web.settings())
	return append(all, configSetting(&c.config),
		setting{flag: "print-config", value: "false", boolean: true, notKept: true, usage: "print the configuration, as a file for --config, and exit", set: boolean(&c.printConfig)},
		presetFor(&c.printFor))
}

// idle returns given settings without effect, each with its missing requirement. They are no
// mistake: an environment may be shared by several commands.
func (c *serveConfig) idle() []string {
	var idle []string
	if usual := (servedClient{addr: usualWebAddr, clientID: c.web.clientID, scopes: c.web.scopes}); !c.web.on && c.web != usual {
		idle = append(idle, "--web-addr, --web-api and --web-base-path need --web")
	}
	if c.auth != "basic" && c.htpasswd != "" {
		idle = append(idle, "--htpasswd needs --auth basic")
	}
	if c.dpop == dpop.Off && c.dpopNonce {
		idle = append(idle, "--dpop-nonce needs --dpop allowed or required")
	}
	if c.dpop == dpop.Off && !c.tellsResource && !c.scim.on && c.publicAPI != "" {
		idle = append(idle, "--public-api-url needs --dpop allowed or required, --resource-metadata or --scim")
	}
	if !c.tellsResource && (c.loginScopes != "" || c.loginAudience != "") {
		idle = append(idle, "--login-scopes and --login-audience need --resource-metadata")
	}
	return slices.Concat(idle, c.idleClaims(), c.idlePeople(), c.public.idle(), c.webhooks.idle(), c.mails.idle())
}

func (c *serveConfig) check() []command.Problem {
	var problems []command.Problem
	if c.auth == "bearer" && c.issuer == "" {
		problems = append(problems, problem("--issuer", "is required: the issuer address of your identity provider, such as https://login.example.org/realms/main (LIBRARY_ISSUER)"))
	}
	if c.printFor != "" {
		problems = append(problems, problem("--for", "goes with --print-config, which prints a configuration"))
	}
	if c.auth == "basic" && c.htpasswd == "" {
		problems = append(problems, problem("--htpasswd", "is required with --auth basic: a file with lines made by htpasswd -B (LIBRARY_HTPASSWD)"))
	} else if c.auth == "basic" {
		if _, err := auth.NewBasic(auth.BasicConfig{Path: c.htpasswd}); err != nil {
			problems = append(problems, problem("--htpasswd", "cannot be used: "+err.Error()))
		}
	}
	if (c.tlsCert == "") != (c.tlsKey == "") {
		problems = append(problems, problem("--tls-cert, --tls-key", "go together; only one of them is given"))
	} else if c.tlsCert != "" {
		if _, err := tls.LoadX509KeyPair(c.tlsCert, c.tlsKey); err != nil {
			problems = append(problems, problem("--tls-cert, --tls-key", "cannot be used: "+err.Error()))
		}
	}
	if c.dpop != dpop.Off && c.auth == "basic" {
		problems = append(problems, problem("--dpop", "is about tokens, and --auth basic takes none"))
	}
	if c.tellsResource && c.auth == "basic" {
		problems = append(problems, problem("--resource-metadata", "names the identity provider, and --auth basic has none"))
	}
	return slices.Concat(problems, c.checkPeople(), c.checkLogout(), c.checkSCIM(), c.webhooks.check(), c.mails.check(), c.acme.check(c.tlsCert), c.backups.check(c.database), c.checkWeb())
}

// lookupConfig names the catalogues and sources of covers to ask about books. By default nobody is
// asked.
type lookupConfig struct {
	sources string
	covers  string
}

func (c *lookupConfig) settings() []setting {
	return []setting{
		{flag: "lookup", usage: "catalogues to ask for an ISBN, separated by commas: loc, dnb, openlibrary, sru+https://HOST/PATH?index=INDEX or openlibrary+https://HOST; empty for none", set: func(v string) error {
			c.sources = v
			_, err := lookup.ParseSources(v)
			return err
		}},
		{flag: "covers", usage: "where covers are fetched by ISBN: openlibrary, or an address with {isbn} in it; empty for nowhere", set: func(v string) error {
			c.covers = v
			_, err := lookup.ParseCovers(v)
			return err
		}},
	}
}

// coverSource is where covers are fetched, nil for nowhere.
func (c *lookupConfig) coverSource() *lookup.Covers {
	source, _ := lookup.ParseCovers(c.covers) // which was good when it was set
	return source
}

// catalogues returns the catalogues to ask, nil for none.
func (c *lookupConfig) catalogues(log *slog.Logger, m *httpapi.Metrics) *lookup.Lookup {
	sources, _ := lookup.ParseSources(c.sources) // which were good when they were set
	if len(sources) == 0 {
		return nil
	}
	for _, s := range sources {
		if s.IsPlain() {
			log.Warn("this source of books is asked over plain HTTP, because it has nothing else: others on the way can read and change its answers", "source", s.Name)
		}
	}
	return lookup.New(sources, lookup.Options{Logger: log, Count: m.LookedUp})
}

// publicConfig is whether everybody may read the catalogue.
type publicConfig struct {
	on   bool
	rate int // requests a second of all callers without a token
}

// usualPublicRate is enough for a town, and no burden for a small machine.
const usualPublicRate = "50"

func (c *publicConfig) settings() []setting {
	return []setting{
		{flag: "public-catalogue", value: "false", boolean: true, usage: "everybody may read the catalogue, without a token", set: boolean(&c.on)},
		{flag: "public-rate", value: usualPublicRate, usage: "how many requests a second callers without a token have together, from 1 to 10000", set: count(&c.rate, 1, 10_000)},
	}
}

func (c *publicConfig) idle() []string {
	var usual int
	if count(&usual, 1, 10_000)(usualPublicRate); !c.on && c.rate != usual && c.rate != 0 {
		return []string{"--public-rate needs --public-catalogue"}
	}
	return nil
}

// perSecond is the rate if the catalogue is public, and 0 otherwise.
func (c *publicConfig) perSecond() int {
	if !c.on {
		return 0
	}
	return c.rate
}

// nameSetting is the name of the library. Every command that shows it has the same flag and,
// unlike their other settings, the same variable: it is one library.
func nameSetting(into *string) setting {
	return setting{flag: "name", usage: "name of the library, up to 60 characters", set: libraryName(into)}
}

// libraryName is a short line of text; "" is no name.
func libraryName(into *string) func(string) error {
	const longest = 60
	// Invisible characters, and ones that turn the line around. Some scripts need the two joiners.
	hidden := func(r rune) bool { return !unicode.IsPrint(r) && r != '\u200c' && r != '\u200d' }
	return func(v string) error {
		name := strings.TrimSpace(v)
		switch {
		case name == "" && v != "":
			return errors.New("is blank; leave it out if the library has no name of its own")
		case !utf8.ValidString(name) || strings.ContainsFunc(name, hidden):
			return errors.New("must be one line of text")
		case utf8.RuneCountInString(name) > longest:
			return fmt.Errorf("is longer than %d characters", longest)
		}
		*into = name
		return nil
	}
}
