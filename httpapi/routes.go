package httpapi

import (
	"net/http"
	"slices"
	"strings"

	"example.org/library"
)

// routes is everything that can be asked, and who may ask it. Each line is
// also a line of api/openapi.yaml; a test compares the two.
func (s *Server) routes() []route {
	return []route{
		{http.MethodGet, "/books", library.Read, s.listBooks},
		{http.MethodPost, "/books", library.Curate, s.addBook},
		{http.MethodGet, "/books/{id}", library.Read, s.showBook},
		{http.MethodPut, "/books/{id}", library.Curate, s.editBook},
		{http.MethodDelete, "/books/{id}", library.Curate, s.deleteBook},
		{http.MethodPost, "/books/{id}/borrow", library.Lend, s.borrowBook},
		{http.MethodPost, "/books/{id}/return", library.Lend, s.returnBook},
		{http.MethodPost, "/imports/books", library.Curate, s.importBooks},
		{http.MethodGet, "/users", library.Administer, s.listUsers},
		{http.MethodPost, "/users", library.Administer, s.addUser},
		{http.MethodGet, "/users/{id}", library.Administer, s.showUser},
		{http.MethodPut, "/users/{id}", library.Administer, s.editUser},
		{http.MethodDelete, "/users/{id}", library.Administer, s.removeUser},
		{http.MethodGet, "/me", library.Read, s.showMe},
		{http.MethodGet, "/me/books", library.Read, s.listMyBooks},
		{http.MethodGet, "/events", library.Read, s.streamEvents},
		{http.MethodGet, "/openapi.yaml", library.Read, s.showOpenAPI},
	}
}

// route is one thing that can be asked.
type route struct {
	method     string
	pattern    string
	permission library.Permission // judged before the handler sees the request
	handle     func(*exchange) error
}

// router finds the route of a path. The standard library's would do, but that
// it answers some requests by itself, with redirects and bodies of its own.
type router struct {
	base  string
	paths []pathRoutes
}

// pathRoutes is the routes of one path.
type pathRoutes struct {
	before, after string // the pattern around its {id}; after is "" without one
	hasParam      bool
	methods       []*route
	allow         string
}

func newRouter(base string, routes []route) router {
	rt := router{base: base}
	for i := range routes {
		r := &routes[i]
		before, after, hasParam := strings.Cut(r.pattern, "{id}")
		at := slices.IndexFunc(rt.paths, func(p pathRoutes) bool { return p.before+p.after == before+after && p.hasParam == hasParam })
		if at < 0 {
			at = len(rt.paths)
			rt.paths = append(rt.paths, pathRoutes{before: before, after: after, hasParam: hasParam})
		}
		rt.paths[at].methods = append(rt.paths[at].methods, r)
	}
	for i := range rt.paths {
		rt.paths[i].allow = allowOf(rt.paths[i].methods)
	}
	return rt
}

func allowOf(routes []*route) string {
	var methods []string
	for _, r := range routes {
		methods = append(methods, r.method)
		if r.method == http.MethodGet {
			methods = append(methods, http.MethodHead)
		}
	}
	return strings.Join(methods, ", ")
}

// route sets the exchange's route, or says why there is none.
func (rt router) route(x *exchange) error {
	path, ok := strings.CutPrefix(x.r.URL.Path, rt.base)
	if !ok {
		return errNoSuchPath
	}
	for i := range rt.paths {
		param, ok := rt.paths[i].match(path)
		if !ok {
			continue
		}
		x.param = param
		if x.route = rt.paths[i].find(x.r.Method); x.route == nil {
			return methodNotAllowed(rt.paths[i].allow)
		}
		x.r.Pattern = x.route.pattern // for traces
		return nil
	}
	return errNoSuchPath
}

func (p pathRoutes) match(path string) (param string, ok bool) {
	if !p.hasParam {
		return "", path == p.before
	}
	rest, ok := strings.CutPrefix(path, p.before)
	if !ok {
		return "", false
	}
	param, ok = strings.CutSuffix(rest, p.after)
	return param, ok && param != "" && !strings.Contains(param, "/")
}

func (p pathRoutes) find(method string) *route {
	if method == http.MethodHead {
		method = http.MethodGet
	}
	for _, r := range p.methods {
		if r.method == method {
			return r
		}
	}
	return nil
}
