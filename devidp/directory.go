package devidp

import (
	"cmp"
	"crypto/sha256"
	"crypto/subtle"
	"reflect"
	"slices"
	"strings"

	"github.com/google/uuid"
)

// directory is a configuration, indexed. Nobody changes one.
type directory struct {
	clients  map[string]*Client
	people   map[string]*account // by user name, folded
	services map[string]*account // by client
	subjects map[string]*account // both, by sub
	origins  map[string]bool     // of all clients
	samples  []User              // the built-in users if they are in use: pages may then show their passwords
}

// account is the subject of tokens: a person, or a client itself.
type account struct {
	username      string
	email         string
	emailVerified bool
	firstName     string
	lastName      string
	groups        []string

	subject  string // sub: the same for the same name at every start
	password [sha256.Size]byte
}

func newDirectory(issuer string, cfg Config) *directory {
	d := &directory{
		clients: map[string]*Client{}, people: map[string]*account{},
		services: map[string]*account{}, subjects: map[string]*account{}, origins: map[string]bool{},
	}
	for _, u := range cfg.Users {
		d.people[foldASCII(u.Username)] = d.add(issuer, u)
	}
	for _, c := range cfg.Clients {
		d.clients[c.ID] = &c
		for _, origin := range c.WebOrigins {
			d.origins[origin] = true
		}
		if s := c.ServiceAccount; s != nil {
			d.services[c.ID] = d.add(issuer, User{
				Username: serviceAccountName(c.ID), Email: s.Email, EmailVerified: s.EmailVerified,
				FirstName: s.FirstName, LastName: s.LastName, Groups: s.Groups,
			})
		}
	}
	if reflect.DeepEqual(cfg.Users, defaultUsers()) {
		d.samples = cfg.Users
	}
	return d
}

func (d *directory) add(issuer string, u User) *account {
	a := &account{
		username: u.Username, email: u.Email, emailVerified: u.EmailVerified,
		firstName: u.FirstName, lastName: u.LastName, groups: slices.Clone(u.Groups),
		subject:  uuid.NewSHA1(uuid.NameSpaceURL, []byte(issuer+"/users/"+foldASCII(u.Username))).String(),
		password: sha256.Sum256([]byte(u.Password)),
	}
	d.subjects[a.subject] = a
	return a
}

func serviceAccountName(client string) string { return "service-account-" + client }

// person returns the account with the name, or nil.
func (d *directory) person(username string) *account { return d.people[foldASCII(username)] }

// verify reports whether the password is right. A nil account costs the same and has none.
// Comparing digests takes the same for passwords of any length; they are not meant to protect a
// readable file.
func (a *account) verify(password string) bool {
	given := sha256.Sum256([]byte(password))
	var expected [sha256.Size]byte
	if a != nil {
		expected = a.password
	}
	equal := subtle.ConstantTimeCompare(given[:], expected[:]) == 1
	return equal && a != nil
}

// name returns the account's name for people.
func (a *account) name() string {
	return cmp.Or(strings.TrimSpace(a.firstName+" "+a.lastName), a.username)
}

// allows reports whether the client may use the grant.
func (c *Client) allows(grant string) bool { return slices.Contains(c.Grants, grant) }
