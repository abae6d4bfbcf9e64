package main

import (
	"context"
	"fmt"
	"log/slog"
	"net"
	"os"
	"os/signal"
	"path/filepath"
	"syscall"

	"github.com/spf13/cobra"

	"example.org/library/cli/command"
	"example.org/library/devidp"
	"example.org/library/internal/httpserver"
)

// idpConfig configures `library idp`.
type idpConfig struct {
	addr        string
	issuer      string
	name        string
	config      string
	printConfig bool
	keys        string
	allowRemote bool
	logFormat   string
	logLevel    slog.Level
}

func (c *idpConfig) settings() []setting {
	all := []setting{
		{flag: "addr", value: "127.0.0.1:8080", usage: "address to listen on", set: listenAddress(&c.addr)},
		{flag: "issuer", usage: "issuer address; by default http://localhost:PORT" + realmPath + " with the port of --addr", set: webAddress(&c.issuer)},
		{flag: "config", usage: "file with users, groups and clients; by default the built-in ones", set: text(&c.config)},
		{flag: "print-config", value: "false", boolean: true, usage: "print the configuration, as a file for --config, and exit", set: boolean(&c.printConfig)},
		{flag: "keys", usage: "file for the signing keys; by default idp-keys.json beside the configuration, or none", set: text(&c.keys)},
		{flag: "allow-remote", value: "false", boolean: true, usage: "let --addr be reachable from other machines", set: boolean(&c.allowRemote)},
		{flag: "log-format", value: "text", usage: "text or json", set: oneOf(&c.logFormat, "text", "json")},
		{flag: "log-level", value: "info", usage: "debug, info, warn or error", set: logLevel(&c.logLevel)},
	}
	return append(inGroup("IDP_", all), nameSetting(&c.name))
}

func (c *idpConfig) check() []command.Problem {
	var problems []command.Problem
	if host, _, err := net.SplitHostPort(c.addr); err == nil && !c.allowRemote && !isLoopback(host) {
		problems = append(problems, problem("--addr", "is reachable from other machines, and this provider has well-known passwords; use 127.0.0.1, or say --allow-remote"))
	}
	if _, err := c.load(); err != nil {
		problems = append(problems, problem("--config", "cannot be used: "+err.Error()))
	}
	return problems
}

func isLoopback(host string) bool {
	ip := net.ParseIP(host)
	return host == "localhost" || ip != nil && ip.IsLoopback()
}

// load reads the users, groups and clients.
func (c *idpConfig) load() (devidp.Config, error) {
	if c.config == "" {
		return devidp.DefaultConfig(), nil
	}
	data, err := os.ReadFile(c.config)
	if err != nil {
		return devidp.Config{}, err
	}
	return devidp.ParseConfig(data)
}

// keyFile is the file of the signing keys, "" for none.
func (c *idpConfig) keyFile() string {
	if c.keys == "" && c.config != "" {
		return filepath.Join(filepath.Dir(c.config), "idp-keys.json")
	}
	return c.keys
}

func newIDP(env command.Environment) *cobra.Command {
	cfg := &idpConfig{}
	return newConfigured(&cobra.Command{
		Use:   "idp",
		Short: "Run the development identity provider",
		Long: `Run the development identity provider. It is for trials and tests only: its users
have well-known passwords. In production, use Keycloak or any other OpenID Connect
provider.

SIGHUP reads the configuration again, SIGUSR1 rotates the signing keys.`,
		Example: `  library idp
  library idp --print-config > idp.json && library idp --config idp.json`,
	}, env, cfg, untilStopped(func(cmd *cobra.Command) error {
		config, err := cfg.load()
		if err != nil {
			return fmt.Errorf("--config: %w", err)
		}
		if cfg.printConfig {
			fmt.Fprintln(env.Stdout, config)
			return nil
		}
		log := newLogs(env.Stderr, cfg.logFormat, cfg.logLevel)
		thisBuild().log(log.Logger)
		return runIDP(cmd.Context(), cfg, config, log.Logger)
	}))
}

func runIDP(ctx context.Context, cfg *idpConfig, config devidp.Config, log *slog.Logger) error {
	listener, err := cfg.listen()
	if err != nil {
		return err
	}
	defer listener.Close()
	issuer := cfg.issuer
	if issuer == "" {
		issuer = localAddress(listener) + realmPath
	}
	provider, err := newProvider(issuer, cfg.name, config, cfg.keyFile(), log)
	if err != nil {
		return err
	}
	stop := onSignals(log, provider, cfg)
	defer stop()
	log.Warn("this is the development identity provider; its passwords are well known, so do not use it in production")
	log.Info("listening", "addr", listener.Addr().String(), "issuer", issuer)
	return serveUntil(ctx, log, serving{server: newServer(atOwnName(listener, provider, hostOf(issuer)), log, httpserver.Connections(1), certificates{}), listener: listener})
}

// listen binds the address. For an issuer at "localhost" it binds both of its addresses.
func (c *idpConfig) listen() (net.Listener, error) {
	host, port, err := net.SplitHostPort(c.addr)
	if err != nil || host != "127.0.0.1" && host != "localhost" || c.issuer != "" && hostOf(c.issuer) != "localhost" {
		return listen("--addr", c.addr)
	}
	l, err := listenLocally(port)
	if err != nil {
		return nil, cannotListen("--addr", err)
	}
	return l, nil
}

// realmPath is the path of the built-in provider's issuer.
const realmPath = "/auth/realms/workshop"

// localAddress is a listener's address as a browser on this machine names it.
func localAddress(l net.Listener) string {
	_, port, _ := net.SplitHostPort(l.Addr().String())
	return "http://" + net.JoinHostPort("localhost", port)
}

func newProvider(issuer, name string, config devidp.Config, keyFile string, log *slog.Logger) (*devidp.Provider, error) {
	keys, err := devidp.OpenKeys(keyFile)
	if err != nil {
		return nil, fmt.Errorf("--keys: %w", err)
	}
	provider, err := devidp.New(devidp.Options{Issuer: issuer, Name: name, Config: config, Keys: keys, Logger: log})
	if err != nil {
		return nil, fmt.Errorf("--issuer: %w", err)
	}
	return provider, nil
}

// onSignals reloads and rotates when an operator asks for it.
func onSignals(log *slog.Logger, provider *devidp.Provider, cfg *idpConfig) (stop func()) {
	signals := make(chan os.Signal, 1)
	signal.Notify(signals, syscall.SIGHUP, rotateSignal)
	go func() {
		for s := range signals {
			var err error
			switch s {
			case syscall.SIGHUP:
				err = reload(provider, cfg)
			case rotateSignal:
				err = provider.Rotate()
			}
			if err != nil {
				log.Error("nothing changed", "signal", s.String(), "error", err)
			} else {
				log.Info("done", "signal", s.String())
			}
		}
	}()
	return func() { signal.Stop(signals); close(signals) }
}

func reload(provider *devidp.Provider, cfg *idpConfig) error {
	config, err := cfg.load()
	if err != nil {
		return err
	}
	return provider.Reload(config)
}
