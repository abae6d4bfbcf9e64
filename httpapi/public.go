package httpapi

import (
	"net/http"
	"sync"
	"sync/atomic"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"example.org/library"
	"example.org/library/httpapi/internal/responsecache"
	"example.org/library/internal/loadshed"
)

// Where the catalogue is public, callers without any credentials may read it. They are
// strangers: nothing is known of them, and there may be any number. So they have bounded
// resources of their own, and take none from people with credentials.
const (
	publicShare    = 8           // an eighth of the places for reads is theirs
	publicInFlight = 256         // answers under way at once, each with a connection
	publicBuffered = 8           // see maxBuffered
	publicCache    = 4 << 20     // bytes
	publicMaxAge   = time.Minute // how long a stranger may read an answer
)

// public has the resources of strangers.
type public struct {
	places   int
	reads    *loadshed.Limiter
	rate     *rateLimit
	inFlight atomic.Int64
	buffered atomic.Int64
	cache    *responsecache.Cache
	shed     prometheus.Counter
}

// newPublic returns the resources of strangers, with a share of the places for reads. It is nil
// if the catalogue is not public.
func newPublic(cfg Config, reads int) *public {
	if cfg.PublicRate == 0 {
		return nil
	}
	const kind = "public"
	places := max(reads/publicShare, 1)
	return &public{
		places: places, reads: newLimiter(kind, loadshed.UsualLimits(places), cfg.Metrics), rate: newRateLimit(cfg.PublicRate),
		cache: responsecache.NewSmall(publicCache), shed: cfg.Metrics.overloaded.With(prometheus.Labels{"kind": kind}),
	}
}

// isFor reports whether strangers may send a request. A request with
// credentials is judged by them, good or bad.
func (p *public) isFor(r *http.Request, found *route) bool {
	return p != nil && found != nil && found.permission == library.Browse && r.Header["Authorization"] == nil
}

// servePublic answers a stranger.
func (s *Server) servePublic(x *exchange) error {
	p := s.public
	defer p.inFlight.Add(-1)
	if p.inFlight.Add(1) > publicInFlight || !p.rate.allow(time.Now()) {
		p.shed.Inc()
		return library.ErrOverloaded
	}
	x.r.Pattern = x.route.pattern // for traces
	x.actor = library.Stranger()
	if x.route.work != bounded {
		x.limiter = p.reads
	}
	revision, err := s.service.Revision(x.r.Context())
	if err != nil {
		return err
	}
	x.at = responsecache.SnapshotOf(revision, s.service.Now())
	return x.act()
}

// rateLimit lets at most perSecond requests through in any second.
type rateLimit struct {
	mu   sync.Mutex
	last []time.Time // when the last ones came, in a ring
	next int         // the oldest of them
}

func newRateLimit(perSecond int) *rateLimit { return &rateLimit{last: make([]time.Time, perSecond)} }

func (l *rateLimit) allow(now time.Time) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	if now.Sub(l.last[l.next]) < time.Second {
		return false
	}
	l.last[l.next] = now
	l.next = (l.next + 1) % len(l.last)
	return true
}
