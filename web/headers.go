package web

import (
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
)

// policy returns the Content-Security-Policy of the page: run our own files, and talk to the API and
// to the identity provider. No other scripts, no frame, no form.
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

// decoder begins the name of the worker for reading barcodes.
const decoder = assets + "decoder-"

// decoderPolicy lets this worker compile WebAssembly from here, and nothing else. So the page itself need not allow it.
const decoderPolicy = "default-src 'none'; script-src 'wasm-unsafe-eval'; connect-src 'self'"

// setHeaders sets the headers of every response.
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

// origin returns scheme, host and port of an address, for a policy. A whole address may contain
// characters that end a policy; an origin cannot.
func origin(address string) (string, error) {
	u, err := url.Parse(address)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" || strings.ContainsAny(u.Host, ` ;,'"*`) {
		return "", fmt.Errorf("is %q; it must be an address that a browser can go to, such as https://library.example.org", address)
	}
	return u.Scheme + "://" + u.Host, nil
}

// CheckAddress checks an issuer or an address of the API.
func CheckAddress(address string) error {
	_, err := origin(address)
	return err
}
