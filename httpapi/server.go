package httpapi

import (
	"cmp"
	"context"
	"log/slog"
	"net/http"
	"sync/atomic"
	"time"

	"example.org/library/admission"
	"example.org/library/auth"
	"example.org/library/finding"
	"example.org/library/httpapi/internal/feed"
	"example.org/library/httpapi/internal/responsecache"
	"example.org/library/internal/loadshed"
	"example.org/library/lookup"
	"example.org/library/notice"
	"example.org/library/service"
	"example.org/library/statistics"
)

// Config is what a Server needs.
type Config struct {
	Service    *service.Service
	Auth       auth.Scheme
	Name       string               // what the library calls itself; "" for nothing
	BasePath   string               // "/library-server"; "" for none
	Origins    []string             // host[:port] of the browser clients, without scheme
	TLS        bool                 // the listener speaks TLS
	Resource   *Resource            // what anybody may know; nil for nothing
	Mails      *notice.Sender       // nil: there are none
	Admits     *admission.Admission // nil: records are found by e-mail address alone
	Finding    *finding.Service     // helps to find books; nil where there is no database
	Statistics *statistics.Service  // how the library is used; the same
	Lookup     *lookup.Lookup       // who is asked about books; nil for nobody
	Covers     *lookup.Covers       // where covers are fetched; nil for nowhere
	Logger     *slog.Logger
	Events     func(*Event) // is called at the end of every request
	Metrics    *Metrics

	// NoDatabase is set while the service has only a store that knows no caller. Every
	// request ends with that question then.
	NoDatabase bool
	MaxReads   int // requests that read from the database at once; 0 for as many as is good for a process
	MaxStreams int // event streams at once; 0 for as many as is good for a process

	// PublicRate is set where the catalogue is public: how many requests a second callers
	// without credentials may send together.
	PublicRate int
}

// Server is the API as an http.Handler.
type Server struct {
	service   *service.Service
	admission *admission.Admission
	auth      auth.Scheme
	mails     *notice.Sender
	name      string
	cors      cors
	router    router
	headers   headers
	cache     *responsecache.Cache
	buffered  atomic.Int64 // lists that are buffered whole
	streams   *feed.Hub
	stopping  context.Context // ends when the server stops
	stop      context.CancelFunc
	reads     *loadshed.Limiter
	public    *public // nil unless the catalogue is
	writes    *loadshed.Limiter
	covers    *coverMaker
	lookup    *lookup.Lookup
	fetches   *lookup.Covers
	warnings  logLimit
	conflicts logLimit
	log       *slog.Logger
	events    func(*Event)
	metrics   *Metrics
	now       func() time.Time
	maxAge    time.Duration // of an answer

	challenges challenges
	noDatabase bool
	finding    *finding.Service
	statistics *statistics.Service
}

// New returns the API.
func New(cfg Config) *Server {
	reads, strangers := newReadLimits(cfg)
	if cfg.Admits == nil {
		cfg.Admits = admission.New(cfg.Service, nil, admission.Rules{})
	}
	s := &Server{
		noDatabase: cfg.NoDatabase,
		challenges: newChallenges(cfg.Auth),
		finding:    cfg.Finding,
		statistics: cfg.Statistics,

		service:   cfg.Service,
		admission: cfg.Admits,
		auth:      cfg.Auth,
		name:      cfg.Name,
		mails:     cmp.Or(cfg.Mails, &notice.Sender{Library: cfg.Name}),
		cors:      newCORS(cfg.Origins),
		headers:   newHeaders(cfg.TLS),
		cache:     responsecache.New(),
		streams:   feed.NewHub(cfg.Service, cfg.Metrics.streams, cfg.Logger),
		reads:     reads,
		writes:    newLimiter("writes", loadshed.UsualLimits(writePlaces), cfg.Metrics),
		public:    strangers,
		covers:    newCoverMaker(cfg.Metrics),
		lookup:    cfg.Lookup,
		fetches:   cfg.Covers,
		log:       cfg.Logger,
		events:    cfg.Events,
		metrics:   cfg.Metrics,
		now:       time.Now,
		maxAge:    maxAnswerAge,
	}
	s.stopping, s.stop = context.WithCancel(context.Background())
	if cfg.MaxStreams > 0 {
		s.streams.Most = min(s.streams.Most, cfg.MaxStreams)
	}
	s.challenges.resource = newResource(cfg, s.challenges)
	s.router = newRouter(cfg.BasePath, s.routes())
	return s
}

// ServeHTTP answers one request and reports it, whatever happens inside.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	x := &exchange{server: s, w: w, r: r, began: s.now(), id: requestID(r)}
	defer s.report(x)
	defer x.leave()
	defer x.recover()
	x.idHeader[0] = x.id
	s.headers.write(w.Header(), x.idHeader[:])
	if err := s.serve(x); err != nil {
		x.fail(err)
	}
}

// serve is the order in which a request is judged. Nothing after a line is
// reached by a request that the line refuses, with one exception: the transaction of
// a change loads the caller, and inOrder puts what was refused before that into order.
func (s *Server) serve(x *exchange) error {
	if err := checkPath(x.r); err != nil {
		return err
	}
	if done, err := s.cors.judge(x); done || err != nil {
		return err
	}
	if s.challenges.resource.isAsked(x.r) {
		return s.challenges.resource.serve(x)
	}
	found, param, noRoute := s.router.find(x.r)
	if s.public.isFor(x.r, found) {
		x.route, x.param = found, param
		return s.servePublic(x)
	}
	if err := x.admit(found); err != nil {
		return err
	}
	if err := s.authenticate(x); err != nil {
		return err
	}
	if noRoute != nil || found.work != changes || s.noDatabase || !s.admission.Rules().ByRecordAlone() {
		if err := s.lookUp(x); err != nil {
			return err
		}
	}
	if noRoute != nil {
		return noRoute
	}
	x.route, x.param = found, param
	x.r.Pattern = found.pattern // for traces
	return s.inOrder(x, x.act())
}

// act does what the caller asks for.
func (x *exchange) act() error {
	if err := x.actor.Precheck(x.route.permission); err != nil {
		return err
	}
	if x.route.work != readsUncached {
		if err := x.enter(); err != nil {
			return err
		}
	}
	return x.handle()
}
