package web

import (
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
)

// policy is what the page may do: run our own files, and talk to the API and to
// the identity provider. No script of anybody else's, no frame, no form.
func policy(api, issuer string) string {
	connect := slices.Compact([]string{"'self'", api, issuer})
	return strings.Join([]string{
		"default-src 'none'",
		"script-src 'self'",
		"style-src 'self'",
		"img-src 'self' data:",
		"connect-src " + strings.Join(connect, " "),
		"manifest-src 'self'",
		"worker-src 'self'",
		"base-uri 'none'",
		"form-action 'none'",
		"frame-ancestors 'none'",
		"require-trusted-types-for 'script'",
		"trusted-types svelte-trusted-html library-decoder",
	}, "; ")
}

// decoder is how the file begins that reads barcodes, in a worker of its own.
const decoder = assets + "decoder-"

// decoderPolicy is what that worker may do: compile the WebAssembly that it
// fetches from here, and nothing else. So the page itself need not allow that.
const decoderPolicy = "default-src 'none'; script-src 'wasm-unsafe-eval'; connect-src 'self'"

// setHeaders sets what every answer carries.
func (h *handler) setHeaders(header http.Header) {
	header.Set("Content-Security-Policy", h.policy)
	header.Set("Cross-Origin-Opener-Policy", "same-origin")
	header.Set("Cross-Origin-Resource-Policy", "same-origin")
	header.Set("Permissions-Policy", "camera=(self), display-capture=(), geolocation=(), microphone=(), payment=(), usb=()")
	header.Set("Referrer-Policy", "no-referrer")
	header.Set("X-Content-Type-Options", "nosniff")
	if h.tls {
		header.Set("Strict-Transport-Security", "max-age=31536000")
	}
}

// origin is scheme, host and port of an address, as a policy names them. An
// address can have characters in it that end a policy; an origin cannot.
func origin(address string) (string, error) {
	u, err := url.Parse(address)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" || strings.ContainsAny(u.Host, ` ;,'"*`) {
		return "", fmt.Errorf("is %q; it must be an address that a browser can go to, such as https://library.example.org", address)
	}
	return u.Scheme + "://" + u.Host, nil
}

// CheckAddress says what is wrong with an issuer or an address of the API.
func CheckAddress(address string) error {
	_, err := origin(address)
	return err
}
