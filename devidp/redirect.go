package devidp

import (
	"net/netip"
	"net/url"
	"slices"
	"strconv"
	"strings"
)

// loopbackHosts are the addresses of the machine itself. "localhost" is not
// among them: a name can be made to mean another machine (RFC 8252, 8.3).
var loopbackHosts = []string{"http://127.0.0.1", "http://[::1]"}

// redirectAllowed reports whether uri is one of the registered ones. They are
// compared as text, because this provider and a browser could decode or
// normalize them differently. The one exception: a
// registered loopback address without a port stands for every port, since a
// program in a terminal gets whichever is free (RFC 8252, 7.3).
func redirectAllowed(registered []string, uri string) bool {
	if slices.Contains(registered, uri) {
		return true
	}
	portless, ok := withoutLoopbackPort(uri)
	return ok && slices.Contains(registered, portless)
}

// withoutLoopbackPort cuts ":port" out of a loopback address.
func withoutLoopbackPort(uri string) (string, bool) {
	for _, host := range loopbackHosts {
		rest, ok := strings.CutPrefix(uri, host+":")
		if !ok {
			continue
		}
		port, path, ok := strings.Cut(rest, "/")
		if !ok || !isPort(port) {
			return "", false
		}
		return host + "/" + path, true
	}
	return "", false
}

// anyProgramCanHave reports whether any program on the person's machine can take a redirect
// address: a loopback address, or a private scheme.
func anyProgramCanHave(uri string) bool {
	u, err := url.Parse(uri)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" {
		return true
	}
	ip, err := netip.ParseAddr(u.Hostname())
	return err == nil && ip.Unmap().IsLoopback()
}

func isPort(s string) bool {
	n, err := strconv.ParseUint(s, 10, 16)
	return err == nil && n > 0 && strconv.FormatUint(n, 10) == s // no leading zero either
}

// unfitRedirect says why uri cannot be registered, or "".
func unfitRedirect(uri string) string {
	u, err := url.Parse(uri)
	switch {
	case err != nil || strings.ContainsFunc(uri, func(r rune) bool { return r <= ' ' || r > '~' || r == '\\' }):
		return "is not an address"
	case strings.Contains(uri, "*"):
		return "must be a whole address: there are no wildcards"
	case strings.Contains(uri, "#"):
		return "must not have a fragment"
	case u.User != nil:
		return "must not have a user name"
	case strings.ContainsAny(u.Host, `;,'"`): // a policy could not name it
		return "must have a plain host"
	case u.Scheme == "http" || u.Scheme == "https":
		if u.Hostname() == "" || u.Opaque != "" {
			return "must have a host"
		}
	case !strings.Contains(u.Scheme, "."):
		// Private schemes are reversed domain names (RFC 8252, 7.1). This also
		// keeps out javascript:, data: and the like.
		return "must begin with http://, https:// or the reversed domain name of an application"
	}
	return ""
}

// isOrigin reports whether s is spelled as browsers spell origins.
func isOrigin(s string) bool {
	u, err := url.Parse(s)
	return err == nil && (u.Scheme == "http" || u.Scheme == "https") && u.Hostname() != "" &&
		u.Scheme+"://"+u.Host == s && foldASCII(s) == s && !strings.ContainsAny(u.Host, "*, ;'\"")
}

// schemeOf returns the source with which a content security policy allows a form to lead to uri.
// It is not the origin: browsers apply the policy also to the client's next redirect, known to the
// client alone.
func schemeOf(uri string) string {
	scheme, _, _ := strings.Cut(uri, ":")
	return scheme + ":"
}

// withQuery adds parameters to an address, with or without a query.
func withQuery(uri string, params url.Values) string {
	separator := "?"
	if strings.Contains(uri, "?") {
		separator = "&"
	}
	return uri + separator + params.Encode()
}
