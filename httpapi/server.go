package httpapi

import (
	"cmp"
	"context"
	"log/slog"
	"net/http"
	"sync/atomic"
	"time"

	"example.org/library/auth"
	"example.org/library/httpapi/internal/feed"
	"example.org/library/httpapi/internal/responsecache"
	"example.org/library/internal/loadshed"
	"example.org/library/lookup"
	"example.org/library/notice"
	"example.org/library/search"
	"example.org/library/service"
	"example.org/library/signin"
	"example.org/library/statistics"
	"example.org/library/stocktake"
)

// Config has the parts and settings of a Server.
type Config struct {
	Service    *service.Service
	Auth       auth.Scheme
	Name       string              // of the library; "" for none
	BasePath   string              // "/library-server"; "" for none
	Origins    []string            // host[:port] of the browser clients, without scheme
	TLS        bool                // the listener speaks TLS
	Resource   *Resource           // the public description; nil for none
	Mails      *notice.Sender      // nil: there are none
	Admits     *signin.SignIn      // nil: records are found by e-mail address alone
	Search     *search.Service     // helps to find books; nil where there is no database
	Statistics *statistics.Service // how the library is used; the same
	Stocktakes *stocktake.Service  // the same
	Lookup     *lookup.Lookup      // other catalogues; nil for none
	Covers     *lookup.Covers      // where covers are fetched; nil for nowhere
	Logger     *slog.Logger
	Events     func(*Event) // is called at the end of every request
	Metrics    *Metrics
	SCIM       *SCIM         // the access of directories; nil for none
	Logouts    *auth.Logouts // the provider's ended sessions; nil if it does not tell

	// NoDatabase is set while the service has only a store without users. Every request
	// then ends with the look-up of its caller.
	NoDatabase bool
	MaxReads   int // concurrent reads from the database; 0 for as many as is good for a process
	MaxStreams int // event streams at once; 0 for as many as is good for a process

	// PublicRate is set where the catalogue is public: how many requests a second callers
	// without credentials may send together.
	PublicRate int
}

// Server is the API as an http.Handler.
type Server struct {
	service   *service.Service
	signIn    *signin.SignIn
	auth      auth.Scheme
	mails     *notice.Sender
	name      string
	cors      cors
	router    router
	tls       bool
	cache     *responsecache.Cache
	buffered  atomic.Int64 // lists that are buffered whole
	streams   *feed.Hub
	stopping  context.Context // ends when the server stops
	stop      context.CancelFunc
	reads     *loadshed.Limiter
	public    *public // nil unless the catalogue is
	logouts   *logouts
	directory *directoryAccess
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
	search     *search.Service
	statistics *statistics.Service
	stocktakes *stocktake.Service
}

// New returns the API.
func New(cfg Config) *Server {
	reads, strangers := newReadLimits(cfg)
	if cfg.Admits == nil {
		cfg.Admits = signin.New(cfg.Service, nil, signin.Rules{})
	}
	s := &Server{
		noDatabase: cfg.NoDatabase,
		challenges: newChallenges(cfg.Auth),
		search:     cfg.Search,
		statistics: cfg.Statistics,
		stocktakes: cfg.Stocktakes,

		service: cfg.Service,
		signIn:  cfg.Admits,
		auth:    cfg.Auth,
		name:    cfg.Name,
		mails:   cmp.Or(cfg.Mails, &notice.Sender{Library: cfg.Name}),
		cors:    newCORS(cfg.Origins),
		tls:     cfg.TLS,
		cache:   responsecache.New(),
		streams: feed.NewHub(cfg.Service, cfg.Metrics.streams, cfg.Logger),
		reads:   reads,
		writes:  newLimiter("writes", loadshed.UsualLimits(writePlaces), cfg.Metrics),
		public:  strangers,
		logouts: newLogouts(cfg.Logouts),

		directory: newDirectoryAccess(cfg),
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
	setUsual(w.Header(), x.id, s.tls)
	if err := s.serve(x); err != nil {
		x.fail(err)
	}
}

// serve judges a request in order. A refused request reaches nothing after the line of its
// refusal, with one exception: the transaction of a change loads the caller, and inOrder
// corrects the order of refusals before it.
func (s *Server) serve(x *exchange) error {
	x.isSCIM = s.directory.covers(x.r)
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
	if s.logouts.isFor(x.r, found) {
		x.route, x.r.Pattern = found, found.pattern
		return found.handle(x)
	}
	if s.public.isFor(x.r, found) {
		x.route, x.param = found, param
		return s.servePublic(x)
	}
	if err := x.admit(found); err != nil {
		return err
	}
	if err := s.recognize(x, noRoute == nil && found.work == changes); err != nil {
		return err
	}
	if noRoute != nil {
		return noRoute
	}
	x.route, x.param = found, param
	x.r.Pattern = found.pattern // for traces
	return s.inOrder(x, x.act())
}

// recognize finds the caller, whose record the transaction of a change may load itself.
func (s *Server) recognize(x *exchange, loadsCaller bool) error {
	if x.isSCIM {
		return s.recognizeDirectory(x)
	}
	if err := s.authenticate(x); err != nil {
		return err
	}
	if !loadsCaller || s.noDatabase || !s.signIn.Rules().ByRecordAlone() {
		return s.lookUp(x)
	}
	return nil
}

// act checks the permission and runs the handler.
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
