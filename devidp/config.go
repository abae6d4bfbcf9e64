package devidp

import (
	"bytes"
	"encoding/json"
	"fmt"
)

// Config says who can log in and which programs may ask them to.
type Config struct {
	Users   []User   `json:"users,omitempty"`
	Clients []Client `json:"clients"`
}

// User is a person who can log in.
type User struct {
	Username      string   `json:"username"`
	Password      string   `json:"password"`
	Email         string   `json:"email"`
	EmailVerified bool     `json:"emailVerified"`
	FirstName     string   `json:"firstName,omitempty"`
	LastName      string   `json:"lastName,omitempty"`
	Groups        []string `json:"groups,omitempty"`
}

// Client is a program that asks for tokens. One without a secret is public:
// it runs where a secret could not be kept, and proves itself with PKCE.
type Client struct {
	ID                     string          `json:"id"`
	Secret                 string          `json:"secret,omitempty"`
	Grants                 []string        `json:"grants"`
	RedirectURIs           []string        `json:"redirectUris,omitempty"`
	PostLogoutRedirectURIs []string        `json:"postLogoutRedirectUris,omitempty"`
	WebOrigins             []string        `json:"webOrigins,omitempty"`
	ServiceAccount         *ServiceAccount `json:"serviceAccount,omitempty"`
}

// ServiceAccount is who a client is when it acts for nobody but itself.
type ServiceAccount struct {
	Email         string   `json:"email"`
	EmailVerified bool     `json:"emailVerified"`
	FirstName     string   `json:"firstName,omitempty"`
	LastName      string   `json:"lastName,omitempty"`
	Groups        []string `json:"groups,omitempty"`
}

func (c *Client) public() bool { return c.Secret == "" }

// The built-in clients: what the library itself is known as.
const (
	clientServer   = "library-client"
	clientWeb      = "library-web"
	clientTerminal = "library-cli"
)

// Grants that a client may have.
const (
	grantCode     = "authorization_code"
	grantClient   = "client_credentials"
	grantPassword = "password"
	grantRefresh  = "refresh_token"
	grantDevice   = "urn:ietf:params:oauth:grant-type:device_code"
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
		{
			ID:           clientTerminal,
			Grants:       []string{grantCode, grantDevice, grantRefresh},
			RedirectURIs: []string{"http://127.0.0.1/callback"},
		},
	}
}

// ParseConfig reads a configuration. The error is a [*ConfigError] with
// everything that is wrong with it.
func ParseConfig(data []byte) (Config, error) {
	cfg, problems := readConfig(data)
	broken := map[string]bool{}
	for _, f := range problems {
		broken[f.Where] = true
	}
	if !broken[""] {
		// What could not be read is not reported again as missing.
		for _, f := range cfg.problems() {
			if !broken[f.Where] {
				problems = append(problems, f)
			}
		}
	}
	if len(problems) > 0 {
		return Config{}, &ConfigError{Problems: problems}
	}
	return cfg, nil
}

// String returns the configuration as ParseConfig reads it. It holds the
// passwords and secrets: it is for the person who configures, not for logs.
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

// Problem is one thing that is wrong with a configuration.
type Problem struct {
	Where string // such as users[2].email, "" for the whole
	What  string
}

func (p Problem) String() string {
	if p.Where == "" {
		return p.What
	}
	return p.Where + ": " + p.What
}

// ConfigError is everything that is wrong with a configuration. It quotes no
// password and no secret.
type ConfigError struct {
	Problems []Problem
}

func (e *ConfigError) Error() string {
	if len(e.Problems) == 1 {
		return "the configuration of the identity provider has an error: " + e.Problems[0].String()
	}
	var b bytes.Buffer
	fmt.Fprintf(&b, "the configuration of the identity provider has %d errors:", len(e.Problems))
	for _, f := range e.Problems {
		b.WriteString("\n  " + f.String())
	}
	return b.String()
}
