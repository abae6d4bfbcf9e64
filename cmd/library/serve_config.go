package main

import (
	"crypto/tls"
	"log/slog"
	"slices"
	"time"

	"example.org/library/auth"
	"example.org/library/auth/claims"
	"example.org/library/auth/dpop"
	"example.org/library/cli/command"
)

// serveConfig is what `library serve` runs with.
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
	printFor       string // name of a preset
}

func (c *serveConfig) settings() []setting {
	all := []setting{
		{flag: "addr", value: ":9091", usage: "address of the API", set: listenAddress(&c.addr)},
		{flag: "base-path", value: "/library-server", usage: "path under which the API lives; / for none", set: basePath(&c.basePath)},
		{flag: "management-addr", value: "127.0.0.1:9092", usage: "address of health, readiness and metrics", set: listenAddress(&c.managementAddr)},
		{flag: "drain", value: "5s", usage: "how long requests are still taken after SIGTERM while /readyz says 503, at most 5m", set: duration(&c.drain, 5*time.Minute)},
		{flag: "issuer", usage: "issuer address of the identity provider, character for character; required with --auth bearer", set: webAddress(&c.issuer)},
		{flag: "jwks-url", usage: "address of the provider's key set; by default the one in its discovery document", set: webAddress(&c.jwksURL)},
		{flag: "audience", value: "library-service", usage: "what a token's aud must contain; one of several separated by commas", list: true, set: audienceList(&c.audience, &c.otherAudiences)},
		{flag: "authorities", value: "scope", usage: "where roles come from: " + claims.ModeNames(" or "), set: authorities(&c.authorities)},
		{flag: "require-verified-email", value: "false", boolean: true, usage: "refuse tokens whose e-mail address is not verified", set: boolean(&c.verifiedEmail)},
		{flag: "clock-skew", value: "0s", usage: "how late a token may be, at most 60s", set: duration(&c.clockSkew, time.Minute)},
		{flag: "client-origin", value: usualOrigin, usage: "host:port of the browser client; several separated by commas", list: true, set: hosts(&c.origins)},
		nameSetting(&c.name),
		{flag: "database", value: "sqlite:library.db", usage: "sqlite:FILE or postgres://USER@HOST/DATABASE", set: database(&c.database)},
		{flag: "migrate", value: "true", boolean: true, usage: "bring the database schema up to date at the start", set: boolean(&c.migrate)},
		waitSetting(&c.wait, "forever"),
		{flag: "sample-data", value: "false", boolean: true, usage: "add sample users and books to an empty database", set: boolean(&c.sampleData)},
		{flag: "bootstrap-user", usage: "e-mail address of a first admin, added when there is no user yet", set: emailAddress(&c.bootstrapUser)},
		{flag: "every", group: "BACKUP_", value: "0s", usage: "how often to make a backup, such as 24h; 0s for never", set: interval(&c.backups.every)},
		{flag: "keep", group: "BACKUP_", value: "14", usage: "how many of these backups to keep, the newest", set: count(&c.backups.keep, 1, 10_000)},
		{flag: "backup-dir", usage: "folder for these backups, of this library alone; by default backups beside the SQLite file", set: text(&c.backups.folder)},
		{flag: "auth", value: "bearer", usage: "how callers authenticate: bearer or basic", set: oneOf(&c.auth, "bearer", "basic")},
		{flag: "htpasswd", usage: "bcrypt password file; required with --auth basic", set: text(&c.htpasswd)},
		{flag: "tls-cert", usage: "certificate file; without it the API speaks plain HTTP", set: text(&c.tlsCert)},
		{flag: "tls-key", usage: "private key file of the certificate", set: text(&c.tlsKey)},
		{flag: "log-format", value: "text", usage: "text or json", set: oneOf(&c.logFormat, "text", "json")},
		{flag: "log-level", value: "info", usage: "debug, info, warn or error", set: logLevel(&c.logLevel)},
	}
	all = slices.Concat(all, c.dpopSettings(), c.resourceSettings(), claimSettings(&c.claims, &c.userinfo), c.people.settings(), c.public.settings(), c.lookup.settings(), c.webhooks.settings(), c.mails.settings(), c.acme.settings(), c.web.settings())
	return append(all, configSetting(&c.config),
		setting{flag: "print-config", value: "false", boolean: true, notKept: true, usage: "print the configuration, as a file for --config, and exit", set: boolean(&c.printConfig)},
		presetFor(&c.printFor))
}

func (c *serveConfig) printsConfig() bool { return c.printConfig }

func (c *serveConfig) printsPreset() string { return c.printFor }

// idle are settings that were given and do nothing, each with what they would need.
// They are no mistake: an environment may be that of several commands.
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
	if c.dpop == dpop.Off && !c.tellsResource && c.publicAPI != "" {
		idle = append(idle, "--public-api-url needs --dpop allowed or required, or --resource-metadata")
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
		problems = append(problems, problem("--htpasswd", "is required with --auth basic: a file with lines such as those of htpasswd -B (LIBRARY_HTPASSWD)"))
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
	return slices.Concat(problems, c.checkPeople(), c.webhooks.check(), c.mails.check(), c.checkDPoP(), c.checkResource(), c.acme.check(c.tlsCert), c.backups.check(c.database), c.checkWeb())
}
