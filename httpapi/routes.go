package httpapi

import (
	"net/http"
	"slices"
	"strings"

	"example.org/library"
)

// routes is the table of all routes, with the permission of the caller and the limit of
// load shedding. Each line is also a line of api/openapi.yaml; a test
// compares the two.
func (s *Server) routes() []route {
	return slices.Concat(s.bookRoutes(), s.lendingRoutes(), s.stationRoutes(), s.stocktakeRoutes(), s.userRoutes(), s.noticeRoutes(), s.mailRoutes(), s.logouts.routes(s), s.directory.routes(s), []route{
		{http.MethodGet, "/events", library.Read, bounded, s.streamEvents},
		{http.MethodGet, "/openapi.yaml", library.Read, bounded, s.showOpenAPI},
	})
}

func (s *Server) bookRoutes() []route {
	return []route{
		{http.MethodGet, "/books", library.Browse, readsUncached, s.listBooks},
		{http.MethodPost, "/books", library.Curate, changes, s.addBook},
		{http.MethodGet, "/books/facets", library.Browse, readsUncached, s.showFacets},
		{http.MethodGet, "/suggestions", library.Browse, readsUncached, s.suggest},
		{http.MethodGet, "/books/{id}", library.Browse, readsUncached, byID(s.showBook)},
		{http.MethodPut, "/books/{id}", library.Curate, changes, byID(s.editBook)},
		{http.MethodDelete, "/books/{id}", library.Curate, changes, byID(s.deleteBook)},
		{http.MethodGet, "/books/{id}/cover", library.Browse, reads, byID(s.showCover)},
		{http.MethodPut, "/books/{id}/cover", library.Curate, changes, byID(s.setCover)},
		{http.MethodDelete, "/books/{id}/cover", library.Curate, changes, byID(s.removeCover)},
		{http.MethodPost, "/books/{id}/cover/fetch", library.Curate, changes, byID(s.fetchCover)},
		{http.MethodGet, "/lookups/{isbn}", library.Curate, bounded, s.lookUpISBN},
		{http.MethodPost, "/imports/books", library.Curate, bounded, s.importBooks},
		{http.MethodGet, "/exports/books", library.Oversee, reads, s.exportBooks},
		{http.MethodGet, "/books/{id}/copies", library.Oversee, reads, byID(s.listCopies)},
		{http.MethodPost, "/books/{id}/copies", library.Curate, changes, byID(s.addCopy)},
		{http.MethodGet, "/copies", library.Oversee, reads, s.listAllCopies},
		{http.MethodGet, "/copies/{id}", library.Oversee, reads, byID(s.showCopy)},
		{http.MethodPut, "/copies/{id}", library.Curate, changes, byID(s.editCopy)},
		{http.MethodDelete, "/copies/{id}", library.Curate, changes, byID(s.removeCopy)},
		{http.MethodPost, "/copies/{id}/seen", library.Curate, changes, byID(s.seeCopy)},
		{http.MethodGet, "/codes/{code}", library.Read, reads, s.showCode},
	}
}

// lendingRoutes are for every caller where the loan or the hold decides who may do
// it (changesOwn): other readers must not even learn of its existence.
func (s *Server) lendingRoutes() []route {
	return []route{
		{http.MethodPost, "/books/{id}/borrow", library.Lend, changes, byID(s.borrowBook)},
		{http.MethodPost, "/books/{id}/return", library.Lend, changes, byID(s.returnBook)},
		{http.MethodGet, "/loans", library.Read, reads, s.listLoans},
		{http.MethodPost, "/loans", library.Read, changesOwn, s.lend},
		{http.MethodPost, "/loans/batch", library.Curate, changesOwn, s.lendBatch},
		{http.MethodGet, "/loans/{id}", library.Read, reads, byID(s.showLoan)},
		{http.MethodPost, "/loans/{id}/renew", library.Read, changesOwn, byID(s.renewLoan)},
		{http.MethodPost, "/loans/{id}/return", library.Read, changesOwn, byID(s.returnLoan)},
		{http.MethodPost, "/loans/{id}/move", library.Curate, changesOwn, byID(s.moveLoan)},
		{http.MethodPost, "/loans/{id}/claim", library.Curate, changesOwn, byID(s.claimLoan)},
		{http.MethodDelete, "/loans/{id}/claim", library.Curate, changesOwn, byID(s.unclaimLoan)},
		{http.MethodPost, "/loans/{id}/lost", library.Curate, changesOwn, byID(s.loseLoan)},
		{http.MethodPost, "/returns", library.Read, changesOwn, s.returnCopy},
		{http.MethodPost, "/returns/batch", library.Curate, changesOwn, s.returnBatch},
		{http.MethodDelete, "/loans/{id}/return", library.Curate, changesOwn, byID(s.undoReturn)},
		{http.MethodPost, "/books/{id}/holds", library.Read, changesOwn, byID(s.placeHold)},
		{http.MethodGet, "/holds", library.Read, reads, s.listHolds},
		{http.MethodGet, "/holds/{id}", library.Read, reads, byID(s.showHold)},
		{http.MethodPut, "/holds/{id}", library.Curate, changes, byID(s.editHold)},
		{http.MethodDelete, "/holds/{id}", library.Read, changesOwn, byID(s.cancelHold)},
		{http.MethodGet, "/policy", library.Begin, reads, s.showPolicy},
		{http.MethodGet, "/policy/effective", library.Read, reads, s.showEffective},
		{http.MethodPut, "/policy", library.Administer, changes, s.setPolicy},
		{http.MethodPost, "/policy/trial", library.Administer, reads, s.tryPolicy},
		{http.MethodGet, "/statistics", library.Oversee, reads, s.showStatistics},
	}
}

// stationRoutes are all that a station may use, beside what every caller may begin with.
func (s *Server) stationRoutes() []route {
	return []route{
		{http.MethodPost, "/station/readers", library.Serve, reads, s.showVisitor},
		{http.MethodPost, "/station/loans", library.Serve, changesOwn, s.lendAtStation},
		{http.MethodPost, "/station/returns", library.Serve, changesOwn, s.returnAtStation},
	}
}

func (s *Server) stocktakeRoutes() []route {
	return []route{
		{http.MethodGet, "/stocktakes", library.Oversee, reads, s.listStocktakes},
		{http.MethodPost, "/stocktakes", library.Curate, changes, s.startStocktake},
		{http.MethodGet, "/stocktakes/{id}", library.Oversee, reads, byID(s.showStocktake)},
		{http.MethodDelete, "/stocktakes/{id}", library.Curate, changes, byID(s.deleteStocktake)},
		{http.MethodPost, "/stocktakes/{id}/scans", library.Curate, changes, byID(s.scanInStocktake)},
		{http.MethodGet, "/stocktakes/{id}/copies", library.Oversee, reads, byID(s.listStocktakeCopies)},
		{http.MethodPost, "/stocktakes/{id}/close", library.Curate, changes, byID(s.closeStocktake)},
	}
}

func (s *Server) userRoutes() []route {
	return []route{
		{http.MethodGet, "/users", library.Administer, reads, s.listUsers},
		{http.MethodPost, "/users", library.Administer, changes, s.addUser},
		{http.MethodGet, "/users/{id}", library.Administer, reads, byID(s.showUser)},
		{http.MethodPut, "/users/{id}", library.Administer, changes, byID(s.editUser)},
		{http.MethodDelete, "/users/{id}", library.Administer, changes, byID(s.removeUser)},
		{http.MethodPost, "/imports/users", library.Administer, bounded, s.importUsers},
		{http.MethodGet, "/exports/users", library.Administer, reads, s.exportUsers},
		{http.MethodDelete, "/users/{id}/subject", library.Administer, changes, byID(s.unbindUser)},
		{http.MethodGet, "/readers", library.Curate, reads, s.listReaders},
		{http.MethodGet, "/readers/{id}", library.Curate, reads, byID(s.showReader)},
		{http.MethodPut, "/readers/{id}", library.Curate, changes, byID(s.editReader)},
		{http.MethodGet, "/me", library.Begin, bounded, s.showMe},
		{http.MethodPut, "/me", library.Read, changes, s.editMe},
		{http.MethodGet, "/me/books", library.Read, reads, s.listMyBooks},
		{http.MethodDelete, "/me/history", library.Read, changes, s.forgetHistory},
		{http.MethodGet, "/me/export", library.Read, reads, s.exportMe},
		{http.MethodGet, "/me/calendar", library.Read, reads, s.showCalendar},
	}
}

func (s *Server) noticeRoutes() []route {
	return []route{
		{http.MethodGet, "/notices", library.Administer, reads, s.listNotices},
		{http.MethodGet, "/notices/outbox", library.Administer, reads, s.showOutbox},
		{http.MethodPost, "/notices/{id}/retry", library.Administer, changes, byID(s.retryNotice)},
		{http.MethodPost, "/notices/resume", library.Administer, changes, s.resumeMail},
	}
}

// route is a method and a path.
type route struct {
	method     string
	pattern    string
	permission library.Permission // judged before the handler sees the request
	work       work
	handle     func(*exchange) error
}

// byID is a handler of a path with an {id}.
func byID(handle func(x *exchange, id string) error) func(*exchange) error {
	return func(x *exchange) error {
		id, ok := library.ParseID(x.param)
		if !ok {
			return errBadIdentifier
		}
		return handle(x, id)
	}
}

// work is the kind of a route's work for the database, and so its limit of load shedding.
type work int

const (
	bounded       work = iota + 1 // nothing, or bounded elsewhere: it never waits for a place
	reads                         // reads: it takes a place among the reads before its handler
	readsUncached                 // reads after a miss of the response cache: its handler takes the place
	changes                       // makes one change, and the transaction loads the caller: it takes a place among the writes before its handler
	changesOwn                    // the same, but the caller must be known before the transaction
)

// changes reports whether the route makes one change.
func (r *route) changes() bool { return r.work == changes || r.work == changesOwn }

// router finds the route of a path. The standard library's router is not used because
// it answers some requests itself, with redirects and bodies of its own.
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
