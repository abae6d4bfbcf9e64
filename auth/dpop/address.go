package dpop

import (
	"fmt"
	"net/http"
	"net/url"
	"strings"
)

// address is a web address without query and fragment, in normal form: RFC 3986, sections 6.2.2
// and 6.2.3.
type address struct{ scheme, host, port, path string }

// addresses compares addresses with those of requests.
type addresses struct {
	public   *address // of the API, nil for the one that each request names
	basePath string
}

func newAddresses(publicURL, basePath string) (addresses, error) {
	if publicURL == "" {
		return addresses{basePath: basePath}, nil
	}
	public, ok := parseAddress(strings.TrimSuffix(publicURL, "/"))
	if !ok {
		return addresses{}, fmt.Errorf("%q is not the address of an API", publicURL)
	}
	return addresses{public: &public, basePath: basePath}, nil
}

// is reports whether a proof for htu is one for r.
func (a addresses) is(htu string, r *http.Request) bool {
	named, ok := parseAddress(htu)
	return ok && named == a.of(r)
}

// of returns the address of a request as its caller sees it. Headers of proxies (X-Forwarded-…)
// are not looked at: any caller can send them.
func (a addresses) of(r *http.Request) address {
	path := r.URL.EscapedPath()
	if a.public == nil {
		scheme := "http"
		if r.TLS != nil {
			scheme = "https"
		}
		return newAddress(scheme, &url.URL{Host: r.Host}, path)
	}
	own := *a.public
	if rest, inside := strings.CutPrefix(path, a.basePath); inside && (rest == "" || rest[0] == '/') {
		path = strings.TrimSuffix(own.path, "/") + rest
	}
	own.path = normalPath(path)
	return own
}

func parseAddress(s string) (address, bool) {
	u, err := url.Parse(s)
	if err != nil || u.Opaque != "" || u.User != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" {
		return address{}, false
	}
	return newAddress(u.Scheme, u, u.EscapedPath()), true
}

func newAddress(scheme string, of *url.URL, path string) address {
	port := of.Port()
	if scheme == "http" && port == "80" || scheme == "https" && port == "443" {
		port = ""
	}
	return address{scheme: scheme, host: strings.ToLower(of.Hostname()), port: port, path: normalPath(path)}
}

// normalPath writes percent-encoding in its one spelling: upper case, and only where it is needed.
// Dots and slashes stay as they are: paths with a second spelling of them were refused before.
func normalPath(path string) string {
	if path == "" {
		return "/"
	}
	if !strings.Contains(path, "%") {
		return path
	}
	var b strings.Builder
	for i := 0; i < len(path); i++ {
		if path[i] != '%' || i+2 >= len(path) {
			b.WriteByte(path[i])
			continue
		}
		escape := path[i : i+3]
		if plain, err := url.PathUnescape(escape); err == nil && isUnreserved(plain[0]) {
			b.WriteByte(plain[0])
		} else {
			b.WriteString(strings.ToUpper(escape))
		}
		i += 2
	}
	return b.String()
}

func isUnreserved(c byte) bool {
	return 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || '0' <= c && c <= '9' || strings.IndexByte("-._~", c) >= 0
}
