package httpapi

import "example.org/library"

// RouteInfo is a line of the table of routes.
type RouteInfo struct {
	Method, Pattern string
	Permission      library.Permission
}

// Routes is the table of routes.
func Routes() []RouteInfo {
	var out []RouteInfo
	for _, r := range new(Server).routes() {
		out = append(out, RouteInfo{Method: r.method, Pattern: r.pattern, Permission: r.permission})
	}
	return out
}

// MaxKept is the size from which on a list is sent while it is read.
const MaxKept = maxKept
