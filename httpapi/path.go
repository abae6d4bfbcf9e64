package httpapi

import (
	"net/http"
	"strings"
)

// rawPath is the path as it was received, before any decoding.
func rawPath(r *http.Request) string {
	if r.URL.Host != "" && !strings.HasPrefix(r.RequestURI, "/") { // GET http://host/path
		return r.URL.EscapedPath()
	}
	path, _, _ := strings.Cut(r.RequestURI, "?")
	return path
}

// checkPath refuses paths with more than one reading. They are never corrected by a
// redirect: their clients are broken or malicious.
func checkPath(r *http.Request) error {
	path := rawPath(r)
	if !strings.HasPrefix(path, "/") || !sanePath(path) {
		return errInsanePath
	}
	return nil
}

// sanePath reports whether the path has exactly one reading.
func sanePath(path string) bool {
	for i := range len(path) {
		switch c := path[i]; {
		case c == '/' && i+1 < len(path) && path[i+1] == '/':
			return false
		case c == '.' && i+1 < len(path) && path[i+1] == '.':
			return false
		case c == '.' && path[i-1] == '/' && (i+1 == len(path) || path[i+1] == '/'):
			return false
		case c == ';' || c == '\\' || c <= ' ' || c >= 0x7f:
			return false
		case c == '%' && !saneEscape(path[i:]) && !isBackslashOfCode(path, i):
			return false
		}
	}
	return true
}

// saneEscape refuses the escapes of characters with a meaning in a path
// (and of the escape itself), and of control characters.
func saneEscape(s string) bool {
	if len(s) < 3 {
		return false
	}
	switch strings.ToLower(s[1:3]) {
	case "2e", "2f", "5c", "3b", "25", "7f":
		return false
	}
	return s[1] != '0' && s[1] != '1'
}

// isBackslashOfCode reports whether an escape is a backslash in a scanned code.
// Barcodes and cards may have one, and they are the end of a path, so nobody gains from
// reading it as a slash.
func isBackslashOfCode(path string, at int) bool {
	before, rest := path[:strings.LastIndexByte(path[:at], '/')], path[at:]
	return len(rest) >= 3 && strings.EqualFold(rest[:3], "%5c") &&
		strings.HasSuffix(before, "/codes") && !strings.Contains(rest, "/")
}
