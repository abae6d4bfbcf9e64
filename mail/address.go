package mail

import (
	"crypto/x509"
	"errors"
	"fmt"
	"net"
	"net/netip"
	"net/url"
	"os"
	"strconv"
	"strings"
	"time"

	"example.org/library/internal/loopback"
	"example.org/library/internal/plaintext"
)

// Carrier delivers mails to a server or a folder. Its sessions are independent of each other.
type Carrier struct {
	folder string // of a maildir; "" for a server

	host, port     string
	user, password string
	tls            tlsMode
	limits         limits
	roots          *x509.CertPool // the trusted certificate authorities; nil for those of the system
}

// String names the server, or the folder, without user and password.
func (c *Carrier) String() string {
	if c.folder != "" {
		return c.folder
	}
	return net.JoinHostPort(c.host, c.port)
}

type tlsMode int

const (
	tlsRequired  tlsMode = iota // STARTTLS, with a valid certificate
	tlsIfOffered                // STARTTLS with any certificate: the server is on this machine
	tlsOff
	tlsAtOnce // before the first word
)

// limits bound a session.
type limits struct {
	connect  time.Duration // the connection and the greeting
	command  time.Duration // a command and its answer
	quit     time.Duration
	messages int // on one connection
}

var usualLimits = limits{connect: 30 * time.Second, command: time.Minute, quit: time.Second, messages: 100}

// Forms describes the forms of a carrier's address.
const Forms = "smtp://USER@HOST:587, smtps://USER@HOST:465 or maildir:PATH"

// Parse reads the address of a carrier. Its errors continue a sentence after the name of the setting, and do not repeat
// an address, because it may have a password in it.
func Parse(address string) (*Carrier, error) {
	if path, is := strings.CutPrefix(address, "maildir:"); is {
		return parseMaildir(path)
	}
	u, err := url.Parse(address)
	switch {
	case err != nil || u.Scheme != "smtp" && u.Scheme != "smtps" || u.Opaque != "" || u.Hostname() == "":
		return nil, errors.New("must be " + Forms)
	case u.Path != "" && u.Path != "/" || u.Fragment != "" || strings.HasSuffix(address, "#"):
		return nil, errors.New("has something after the host; it must be " + Forms)
	}
	c := &Carrier{host: u.Hostname(), port: u.Port(), limits: usualLimits}
	if err := c.setUser(u.User); err != nil {
		return nil, err
	}
	return c, errors.Join(c.setPort(u.Scheme, strings.HasSuffix(u.Host, ":")), c.setTLS(u.Scheme, u.RawQuery))
}

func parseMaildir(path string) (*Carrier, error) {
	if path == "" || strings.ContainsRune(path, 0) {
		return nil, errors.New("has no folder; it must be maildir:PATH")
	}
	if info, err := os.Stat(path); err == nil && !info.IsDir() {
		return nil, fmt.Errorf("names %q, which is not a folder", path)
	}
	return &Carrier{folder: path, limits: usualLimits}, nil
}

func (c *Carrier) setUser(user *url.Userinfo) error {
	if user == nil {
		return nil
	}
	if _, has := user.Password(); has {
		return errors.New("has a password in it, which others can read there; it belongs into LIBRARY_SMTP_PASSWORD or the file of --smtp-password-file")
	}
	if c.user = user.Username(); c.user == "" || strings.ContainsFunc(c.user, plaintext.IsControl) {
		return errors.New("has no user before the @; without authentication there is no @, either")
	}
	return nil
}

func (c *Carrier) setPort(scheme string, isEmpty bool) error {
	if c.port == "" && !isEmpty {
		c.port = map[string]string{"smtp": "587", "smtps": "465"}[scheme]
	}
	if n, err := strconv.Atoi(c.port); err != nil || n < 1 || n > 65535 {
		return errors.New("has a port that is not a number from 1 to 65535")
	}
	return nil
}

func (c *Carrier) setTLS(scheme, query string) error {
	switch {
	case scheme == "smtps" && query == "":
		c.tls = tlsAtOnce
	case scheme == "smtps":
		return errors.New("has a part after the ?, which smtps:// does not take")
	case query == "tls=off":
		c.tls = tlsOff
	case query != "":
		return errors.New("has a part after the ? that is not tls=off, which is all that can be there")
	case isThisMachine(c.host):
		c.tls = tlsIfOffered
	}
	return nil
}

// isThisMachine reports whether data sent to a host stays on this machine.
func isThisMachine(host string) bool {
	host = strings.TrimSuffix(host, ".")
	if own, err := os.Hostname(); loopback.Is(host) || err == nil && strings.EqualFold(host, own) {
		return true
	}
	ip, err := netip.ParseAddr(host)
	if err != nil {
		return false
	}
	own, _ := net.InterfaceAddrs()
	for _, a := range own {
		if prefix, err := netip.ParsePrefix(a.String()); err == nil && prefix.Addr().Unmap() == ip.Unmap().WithZone("") {
			return true
		}
	}
	return false
}

// NeedsPassword reports whether the carrier signs in to the server.
func (c *Carrier) NeedsPassword() bool { return c.user != "" }

// SetPassword sets the password of the user in the address.
func (c *Carrier) SetPassword(password string) error {
	if strings.ContainsRune(password, 0) {
		return errors.New("has a character in it that no password has")
	}
	c.password = password
	return nil
}

// Folder returns the path of a maildir, or "" for a server.
func (c *Carrier) Folder() string { return c.folder }

// Open begins a session. It connects with the first mail.
func (c *Carrier) Open() Session {
	if c.folder != "" {
		return maildir(c.folder)
	}
	return &smtpSession{carrier: c}
}
