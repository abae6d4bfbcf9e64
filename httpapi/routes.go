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
	return slices.Concat(s.bookRoutes(), s.lendingRoutes(), s.userRoutes(), []route{
		{http.MethodGet, "/events", library.Read, s.streamEvents},
		{http.MethodGet, "/openapi.yaml", library.Read, s.showOpenAPI},
	})
}

func (s *Server) bookRoutes() []route {
	return []route{
		{http.MethodGet, "/books", library.Read, s.listBooks},
		{http.MethodPost, "/books", library.Curate, s.addBook},
		{http.MethodGet, "/books/{id}", library.Read, s.showBook},
		{http.MethodPut, "/books/{id}", library.Curate, s.editBook},
		{http.MethodDelete, "/books/{id}", library.Curate, s.deleteBook},
		{http.MethodPost, "/imports/books", library.Curate, s.importBooks},
		{http.MethodGet, "/books/{id}/copies", library.Oversee, s.listCopies},
		{http.MethodPost, "/books/{id}/copies", library.Curate, s.addCopy},
		{http.MethodGet, "/copies/{id}", library.Oversee, s.showCopy},
		{http.MethodPut, "/copies/{id}", library.Curate, s.editCopy},
		{http.MethodDelete, "/copies/{id}", library.Curate, s.removeCopy},
		{http.MethodGet, "/codes/{code}", library.Read, s.showCode},
	}
}

// lendingRoutes are for every caller where it depends on the loan or the hold who
// may do it: a reader who may not is not even to learn that there is such a one.
func (s *Server) lendingRoutes() []route {
	return []route{
		{http.MethodPost, "/books/{id}/borrow", library.Lend, s.borrowBook},
		{http.MethodPost, "/books/{id}/return", library.Lend, s.returnBook},
		{http.MethodGet, "/loans", library.Read, s.listLoans},
		{http.MethodPost, "/loans", library.Curate, s.lendAtDesk},
		{http.MethodGet, "/loans/{id}", library.Read, s.showLoan},
		{http.MethodPost, "/loans/{id}/renew", library.Read, s.renewLoan},
		{http.MethodPost, "/loans/{id}/return", library.Read, s.returnLoan},
		{http.MethodPost, "/books/{id}/holds", library.Lend, s.placeHold},
		{http.MethodGet, "/holds", library.Read, s.listHolds},
		{http.MethodGet, "/holds/{id}", library.Read, s.showHold},
		{http.MethodPut, "/holds/{id}", library.Curate, s.editHold},
		{http.MethodDelete, "/holds/{id}", library.Read, s.cancelHold},
		{http.MethodGet, "/policy", library.Read, s.showPolicy},
		{http.MethodPut, "/policy", library.Administer, s.setPolicy},
		{http.MethodGet, "/statistics", library.Oversee, s.showStatistics},
	}
}

func (s *Server) userRoutes() []route {
	return []route{
		{http.MethodGet, "/users", library.Administer, s.listUsers},
		{http.MethodPost, "/users", library.Administer, s.addUser},
		{http.MethodGet, "/users/{id}", library.Administer, s.showUser},
		{http.MethodPut, "/users/{id}", library.Administer, s.editUser},
		{http.MethodDelete, "/users/{id}", library.Administer, s.removeUser},
		{http.MethodGet, "/readers", library.Curate, s.listReaders},
		{http.MethodGet, "/me", library.Read, s.showMe},
		{http.MethodPut, "/me", library.Read, s.editMe},
		{http.MethodGet, "/me/books", library.Read, s.listMyBooks},
		{http.MethodDelete, "/me/history", library.Read, s.forgetHistory},
		{http.MethodGet, "/me/export", library.Read, s.exportMe},
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
	before, after string // the pattern around its parameter; after is "" without one
	hasParam      bool
	methods       []*route
	allow         string
}

func newRouter(base string, routes []route) router {
	rt := router{base: base}
	for i := range routes {
		r := &routes[i]
		before, after, hasParam := cutParam(r.pattern)
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

// cutParam cuts a pattern at its {id} or {code}. No pattern has two.
func cutParam(pattern string) (before, after string, hasParam bool) {
	before, rest, hasParam := strings.Cut(pattern, "{")
	_, after, _ = strings.Cut(rest, "}")
	return before, after, hasParam
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
func (rt router) route(x *exchange) (err error) {
	if x.route, x.param, err = rt.find(x.r); err == nil {
		x.r.Pattern = x.route.pattern // for traces
	}
	return err
}

// find returns the route of a request and its parameter.
func (rt router) find(r *http.Request) (found *route, param string, err error) {
	path, ok := strings.CutPrefix(r.URL.Path, rt.base)
	if !ok {
		return nil, "", errNoSuchPath
	}
	for i := range rt.paths {
		if param, ok = rt.paths[i].match(path); !ok {
			continue
		}
		if found = rt.paths[i].find(r.Method); found == nil {
			err = methodNotAllowed(rt.paths[i].allow)
		}
		return found, param, err
	}
	return nil, "", errNoSuchPath
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
