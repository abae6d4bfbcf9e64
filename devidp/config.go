package devidp

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"

	"example.org/library/internal/strictjson"
)

// Config lists the people and the programs of the provider.
type Config struct {
	Users   []User   `json:"users,omitempty"`
	Clients []Client `json:"clients"`
}

// User is a person with a login.
type User struct {
	Username      string   `json:"username"`
	Password      string   `json:"password"`
	Email         string   `json:"email"`
	EmailVerified bool     `json:"emailVerified"`
	FirstName     string   `json:"firstName,omitempty"`
	LastName      string   `json:"lastName,omitempty"`
	Groups        []string `json:"groups,omitempty"`
}

// Client is a program that asks for tokens. One without a secret is public: it runs where a secret
// could not be kept, and proves itself with PKCE.
type Client struct {
	ID                     string          `json:"id"`
	Secret                 string          `json:"secret,omitempty"`
	Grants                 []string        `json:"grants"`
	RedirectURIs           []string        `json:"redirectUris,omitempty"`
	PostLogoutRedirectURIs []string        `json:"postLogoutRedirectUris,omitempty"`
	WebOrigins             []string        `json:"webOrigins,omitempty"`
	BackchannelLogoutURI   string          `json:"backchannelLogoutUri,omitempty"` // where it learns of sessions that end
	ServiceAccount         *ServiceAccount `json:"serviceAccount,omitempty"`
}

// ServiceAccount is the identity of a client when it acts for itself.
type ServiceAccount struct {
	Email         string   `json:"email"`
	EmailVerified bool     `json:"emailVerified"`
	FirstName     string   `json:"firstName,omitempty"`
	LastName      string   `json:"lastName,omitempty"`
	Groups        []string `json:"groups,omitempty"`
}

func (c *Client) public() bool { return c.Secret == "" }

// The built-in clients, by which the library itself is known.
const (
	clientServer   = "library-client"
	clientWeb      = "library-web"
	clientTerminal = "library-cli"
)

// Grants of a client.
const (
	grantCode     = "authorization_code"
	grantClient   = "client_credentials"
	grantPassword = "password"
	grantRefresh  = "refresh_token"
)

// DefaultConfig returns the sample users and clients.
func DefaultConfig() Config { return Config{Users: defaultUsers(), Clients: defaultClients()} }

func defaultUsers() []User {
	user := func(name, password, email, first, last, group string) User {
		return User{name, password, email, true, first, last, []string{group}}
	}
	return []User{
		user("bwayne", "wayne", "bruce.wayne@example.com", "Bruce", "Wayne", scopeUser),
		user("bbanner", "banner", "bruce.banner@example.com", "Bruce", "Banner", scopeUser),
		user("pparker", "parker", "peter.parker@example.com", "Peter", "Parker", scopeCurator),
		user("ckent", "kent", "clark.kent@example.com", "Clark", "Kent", scopeAdmin),
		{"station", "shelves", "station@example.com", true, "Library", "Station", nil}, // docs/station.md
	}
}

func defaultClients() []Client {
	return []Client{
		{
			ID:     clientServer,
			Secret: "9584640c-3804-4dcd-997b-93593cfb9ea7",
			Grants: []string{grantCode, grantClient, grantPassword, grantRefresh},
			RedirectURIs: []string{
				"http://localhost:9090/callback",
				"http://localhost:9090/library-client/login/oauth2/code/keycloak",
			},
			ServiceAccount: &ServiceAccount{
				Email: "service-account-library-client@placeholder.org", EmailVerified: true,
				FirstName: "Library", LastName: "Client", Groups: []string{scopeCurator},
			},
		},
		{
			ID:                     clientWeb,
			Grants:                 []string{grantCode, grantRefresh},
			RedirectURIs:           []string{"http://localhost:4200/"},
			PostLogoutRedirectURIs: []string{"http://localhost:4200/"},
			WebOrigins:             []string{"http://localhost:4200"},
		},
		{ID: clientTerminal, Grants: []string{grantCode, grantRefresh}, RedirectURIs: []string{"http://127.0.0.1/callback"}},
		{ // a directory of people: docs/scim.md
			ID:             "library-scim",
			Secret:         "b0f6d7a1-5d0c-4e0e-9c35-6a5d1f0c7a3e",
			Grants:         []string{grantClient},
			ServiceAccount: &ServiceAccount{Email: "service-account-library-scim@placeholder.org", EmailVerified: true, FirstName: "Library", LastName: "Directory", Groups: []string{scopeAdmin}},
		},
		{ // the web client of the workshop: docs/from-the-workshop.md
			ID:           "library-client-pkce",
			Grants:       []string{grantCode, grantRefresh},
			RedirectURIs: []string{"http://localhost:9090/library-client/login/oauth2/code/keycloak", "http://127.0.0.1:9090/library-client/login/oauth2/code/keycloak"},
		},
		{ // its Angular client
			ID:                     "spa",
			Grants:                 []string{grantCode, grantRefresh},
			RedirectURIs:           []string{"http://localhost:4200/index.html"},
			PostLogoutRedirectURIs: []string{"http://localhost:4200/index.html"},
			WebOrigins:             []string{"http://localhost:4200"},
		},
	}
}

// ParseConfig reads a configuration. The error names all faults of its values.
func ParseConfig(data []byte) (Config, error) {
	cfg, err := readConfig(data)
	if err != nil {
		return Config{}, fmt.Errorf("the configuration of the identity provider cannot be read: %w", err)
	}
	return cfg, cfg.check()
}

// maxConfigSize keeps a wrong file name from filling the memory.
const maxConfigSize = 4 << 20

func readConfig(data []byte) (Config, error) {
	if len(data) > maxConfigSize {
		return Config{}, fmt.Errorf("it is longer than %d bytes", maxConfigSize)
	}
	if _, err := strictjson.Object(data); err != nil {
		return Config{}, whereSyntax(data, err)
	}
	var cfg Config
	decoder := json.NewDecoder(bytes.NewReader(data))
	decoder.DisallowUnknownFields()
	err := decoder.Decode(&cfg)
	return cfg, err
}

// whereSyntax adds the line to a syntax error, where there is one.
func whereSyntax(data []byte, err error) error {
	var ignored any
	if syntax, is := errors.AsType[*json.SyntaxError](json.Unmarshal(data, &ignored)); is {
		line := 1 + bytes.Count(data[:min(int(syntax.Offset), len(data))], []byte("\n"))
		return fmt.Errorf("%w (line %d: %w)", err, line, syntax)
	}
	return err
}

// String returns the configuration in the form read by ParseConfig. It holds the passwords and
// secrets: it is for the person configuring the provider, not for logs.
func (c Config) String() string {
	var b bytes.Buffer
	encoder := json.NewEncoder(&b)
	encoder.SetIndent("", "  ")
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(c); err != nil {
		return err.Error() // strings, booleans and lists of them always encode
	}
	return b.String()
}
