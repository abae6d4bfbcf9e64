package main

import (
	"cmp"
	"errors"
	"net/mail"
	"net/url"
	"strings"
)

// origin is who makes packages, and where they are published. Both may be empty.
type origin struct{ maintainer, homepage string }

// check refuses what no person can use, such as a placeholder.
func (o origin) check() error {
	if o.maintainer != "" {
		address, err := mail.ParseAddress(o.maintainer)
		if err != nil || address.Name == "" || isPlaceholder(address.Address) {
			return errors.New("the maintainer must be a name and an address of yours: MAINTAINER='Name <name@your.host>'")
		}
	}
	if o.homepage != "" {
		u, err := url.Parse(o.homepage)
		if err != nil || u.Scheme != "https" && u.Scheme != "http" || u.Host == "" || isPlaceholder(u.Hostname()) {
			return errors.New("the home page must be an address of yours: HOMEPAGE=https://your.host/library")
		}
	}
	return nil
}

// isPlaceholder reports whether an address ends with a host that is kept for examples (RFC 2606).
func isPlaceholder(address string) bool {
	_, host, _ := strings.Cut("@"+address, "@")
	host = "." + strings.ToLower(host[strings.LastIndex(host, "@")+1:])
	for _, reserved := range []string{".example", ".example.com", ".example.net", ".example.org", ".invalid"} {
		if strings.HasSuffix(host, reserved) {
			return true
		}
	}
	return false
}

// packager is the maintainer of a package. Debian needs one; without a name, nobody is reachable beyond the machine.
func (o origin) packager() string { return cmp.Or(o.maintainer, "Built locally <root@localhost>") }
