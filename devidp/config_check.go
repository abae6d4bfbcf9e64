package devidp

import (
	"errors"
	"fmt"
	"net/url"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Limits of the configuration.
const (
	maxName     = 100
	maxEmail    = 254
	maxPassword = 200
)

// checker collects faults, and the values that must be unique.
type checker struct {
	faults []string
	seen   map[string]string // kind and value -> where it was first
}

// check returns an error with all faults of the configuration, one to a line. It quotes no
// password and no secret.
func (c Config) check() error {
	k := &checker{seen: map[string]string{}}
	for i, u := range c.Users {
		k.user(fmt.Sprintf("users[%d]", i), u)
	}
	if len(c.Clients) == 0 {
		k.report("clients", "at least one client is needed")
	}
	for i, client := range c.Clients {
		k.client(fmt.Sprintf("clients[%d]", i), client)
	}
	if len(k.faults) == 0 {
		return nil
	}
	return errors.New("the configuration of the identity provider has errors:\n  " + strings.Join(k.faults, "\n  "))
}

func (k *checker) user(where string, u User) {
	k.text(where+".username", u.Username, maxName, true)
	k.text(where+".password", u.Password, maxPassword, true)
	k.text(where+".firstName", u.FirstName, maxName, false)
	k.text(where+".lastName", u.LastName, maxName, false)
	k.once(where+".username", "user name", foldASCII(u.Username))
	k.email(where+".email", u.Email)
	k.groups(where+".groups", u.Groups)
}

func (k *checker) client(where string, c Client) {
	k.text(where+".id", c.ID, maxName, true)
	k.token(where+".id", c.ID)
	k.once(where+".id", "client", c.ID)
	k.text(where+".secret", c.Secret, maxPassword, false)
	k.grants(where, c)
	k.serviceAccount(where, c)
	for i, uri := range c.RedirectURIs {
		k.redirect(fmt.Sprintf("%s.redirectUris[%d]", where, i), uri)
	}
	for i, uri := range c.PostLogoutRedirectURIs {
		k.redirect(fmt.Sprintf("%s.postLogoutRedirectUris[%d]", where, i), uri)
	}
	if u, err := url.Parse(c.BackchannelLogoutURI); c.BackchannelLogoutURI != "" && (err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Hostname() == "" || u.Fragment != "") {
		k.report(where+".backchannelLogoutUri", "must be an http or https address without a fragment, such as http://localhost:9091/library-server/logout")
	}
	for i, origin := range c.WebOrigins {
		if !isOrigin(origin) {
			k.report(fmt.Sprintf("%s.webOrigins[%d]", where, i), "must be http or https, a host and perhaps a port, such as http://localhost:4200, in lower case and with nothing behind it")
		}
	}
}

func (k *checker) grants(where string, c Client) {
	known := []string{grantCode, grantClient, grantPassword, grantRefresh}
	if len(c.Grants) == 0 {
		k.report(where+".grants", "at least one of %s is needed", strings.Join(known, ", "))
	}
	for i, grant := range c.Grants {
		at := fmt.Sprintf("%s.grants[%d]", where, i)
		if !slices.Contains(known, grant) {
			k.report(at, "must be one of %s", strings.Join(known, ", "))
		}
		if slices.Index(c.Grants, grant) < i {
			k.report(at, "%q is there twice", grant)
		}
	}
	has := func(grant string) bool { return slices.Contains(c.Grants, grant) }
	if has(grantCode) && len(c.RedirectURIs) == 0 {
		k.report(where+".redirectUris", "the grant authorization_code needs at least one")
	}
	if has(grantClient) && c.public() {
		k.report(where+".secret", "the grant client_credentials needs one")
	}
	if has(grantClient) && c.ServiceAccount == nil {
		k.report(where+".serviceAccount", "the grant client_credentials needs one")
	}
}

func (k *checker) serviceAccount(where string, c Client) {
	if c.ServiceAccount == nil {
		return
	}
	where += ".serviceAccount"
	if !slices.Contains(c.Grants, grantClient) {
		k.report(where, "is of no use without the grant client_credentials")
	}
	k.once(where, "user name", foldASCII(serviceAccountName(c.ID)))
	k.text(where+".firstName", c.ServiceAccount.FirstName, maxName, false)
	k.text(where+".lastName", c.ServiceAccount.LastName, maxName, false)
	k.email(where+".email", c.ServiceAccount.Email)
	k.groups(where+".groups", c.ServiceAccount.Groups)
}

func (k *checker) text(where, s string, most int, required bool) {
	switch {
	case required && s == "":
		k.report(where, "is missing")
	case utf8.RuneCountInString(s) > most:
		k.report(where, "is longer than %d characters", most)
	case strings.ContainsFunc(s, unicode.IsControl):
		k.report(where, "contains a control character")
	case strings.TrimSpace(s) != s:
		k.report(where, "begins or ends with white space")
	}
}

// email applies the rules of the library service for addresses of users. Two people with one
// address would be one user there.
func (k *checker) email(where, s string) {
	switch {
	case s == "":
		k.report(where, "is missing")
	case len(s) > maxEmail || strings.Count(s, "@") != 1 || s[0] == '@' || s[len(s)-1] == '@',
		strings.ContainsFunc(s, func(r rune) bool { return unicode.IsSpace(r) || unicode.IsControl(r) }):
		k.report(where, "is not an e-mail address")
	default:
		k.once(where, "e-mail address", foldASCII(s))
	}
}

func (k *checker) groups(where string, groups []string) {
	for i, group := range groups {
		at := fmt.Sprintf("%s[%d]", where, i)
		if group == "" || len(group) > maxName {
			k.report(at, "must have 1 to %d characters", maxName)
		}
		k.token(at, group)
		if slices.Index(groups, group) < i {
			k.report(at, "%q is there twice", group)
		}
	}
}

// token allows the characters of a scope (RFC 6749, section 3.3). Names of groups become scopes;
// names of clients stand in URLs and headers.
func (k *checker) token(where, s string) {
	if !isScopeToken(s) {
		k.report(where, "may have only ASCII characters without spaces, quotes and backslashes")
	}
}

func (k *checker) redirect(where, uri string) {
	if reason := unfitRedirect(uri); reason != "" {
		k.report(where, "%s", reason)
	}
}

func (k *checker) once(where, kind, value string) {
	if value == "" {
		return
	}
	if first, taken := k.seen[kind+" "+value]; taken {
		k.report(where, "the same %s as %s", kind, first)
		return
	}
	k.seen[kind+" "+value] = where
}

func (k *checker) report(where, format string, args ...any) {
	k.faults = append(k.faults, where+": "+fmt.Sprintf(format, args...))
}

// foldASCII lowers A to Z and nothing else.
func foldASCII(s string) string {
	return strings.Map(func(r rune) rune {
		if 'A' <= r && r <= 'Z' {
			return r + 'a' - 'A'
		}
		return r
	}, s)
}
