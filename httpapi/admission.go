package httpapi

import (
	linked "container/list"
	"context"
	"net/http"
	"sync"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"example.org/library"
)

// admission bounds how many requests are being worked for at once. The rest wait
// for a short time, and are then refused: a server that takes in everybody works
// for callers who have gone, and in the end for nobody.
//
// A request has a place from where the work begins until its answer is ready. It
// has none while it waits for its caller, to send the body or to read the answer.
//
// Many who come at once are not too many: the queue gets shorter, and they wait
// until it is their turn. If it does not get shorter, more come than can be served.
// Then nobody may wait for long, and those who came last are the next ones: some
// must be refused in any case, and this way the others are answered at once
// instead of all of them late. Those who had a place before are always the next
// ones: what was begun is of no use before it is finished.
type admission struct {
	limits   admissionLimits
	inFlight prometheus.Gauge
	queued   prometheus.Gauge
	refused  prometheus.Counter

	mu     sync.Mutex
	free   int
	begun  *linked.List // of *waiter: those who had a place before
	queue  *linked.List // of *waiter, in the order in which they came
	looked time.Time    // when the length of the queue was last looked at
	length int          // of the queue then; 0 when it has only begun
	rush   bool         // it did not get shorter, and has not been empty since then
}

// waiter is a request in the queue.
type waiter struct {
	came    time.Time
	decided chan bool // gets one value: whether there is a place
}

// admissionLimits are the bounds of one kind of requests.
type admissionLimits struct {
	places  int           // for requests that are being worked for
	waiting int           // requests in the queue
	look    time.Duration // how often to look whether the queue has got shorter
	burst   time.Duration // how long a request may wait if it has
	rush    time.Duration // and how long if it has not
	begun   time.Duration // how long one may wait that had a place before
}

// Reads and changes do not wait for each other. More places for reads would make
// no database faster, nor would more than it has connections; changes wait for the
// disk most of the time, and those that wait together are written together.
var (
	readLimits  = admissionLimits{places: 16, waiting: 1024, look: 500 * time.Millisecond, burst: 3 * time.Second, rush: 250 * time.Millisecond, begun: recheckTimeout}
	writeLimits = admissionLimits{places: 64, waiting: 1024, look: 500 * time.Millisecond, burst: 3 * time.Second, rush: 250 * time.Millisecond, begun: recheckTimeout}
)

func newAdmission(kind string, limits admissionLimits, m *Metrics) *admission {
	return &admission{
		limits: limits, free: limits.places, begun: linked.New(), queue: linked.New(),
		inFlight: m.inFlight.WithLabelValues(kind), queued: m.queued.WithLabelValues(kind), refused: m.overloaded.WithLabelValues(kind),
	}
}

// limit makes the places fewer, if there are more. It is for the beginning.
func (a *admission) limit(places int) {
	a.limits.places = min(a.limits.places, places)
	a.free = a.limits.places
}

// enter takes a place, for the first time or again. Whoever gets one must leave it.
func (a *admission) enter(ctx context.Context, again bool) error {
	a.mu.Lock()
	if a.free > 0 {
		a.free--
		a.mu.Unlock()
		a.inFlight.Inc()
		return nil
	}
	queue, patience := a.queue, a.limits.begun
	if again {
		queue = a.begun
	} else {
		patience = a.patience(time.Now())
	}
	admitted := false
	if queue.Len() < a.limits.waiting {
		place := queue.PushBack(&waiter{came: time.Now(), decided: make(chan bool, 1)})
		a.mu.Unlock()
		admitted = a.await(ctx, queue, place, patience)
	} else {
		a.mu.Unlock()
	}
	switch {
	case admitted:
		a.inFlight.Inc()
		return nil
	case ctx.Err() != nil:
		return ctx.Err()
	}
	a.refused.Inc()
	return library.ErrOverloaded
}

// patience is how long a request may wait that comes now.
func (a *admission) patience(now time.Time) time.Duration {
	if a.queue.Len() == 0 {
		a.looked, a.length, a.rush = now, 0, false
	}
	if a.isRush(now) {
		return a.limits.rush
	}
	return a.limits.burst
}

// isRush reports whether more come than can be served.
func (a *admission) isRush(now time.Time) bool {
	waiting := a.queue.Len()
	if waiting > 0 && now.Sub(a.looked) > a.limits.look {
		a.rush = a.rush || a.length > 0 && waiting >= a.length
		a.looked, a.length = now, waiting
	}
	return a.rush && waiting > 0
}

// await reports whether a waiter was let in.
func (a *admission) await(ctx context.Context, queue *linked.List, place *linked.Element, patience time.Duration) bool {
	a.queued.Inc()
	defer a.queued.Dec()
	w := place.Value.(*waiter)
	timer := time.NewTimer(patience)
	defer timer.Stop()
	select {
	case admitted := <-w.decided:
		return admitted
	case <-timer.C:
	case <-ctx.Done():
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	select {
	case admitted := <-w.decided: // meanwhile
		return admitted
	default:
		queue.Remove(place)
		return false
	}
}

// leave gives a place to the next one, or back.
func (a *admission) leave() {
	a.inFlight.Dec()
	a.mu.Lock()
	defer a.mu.Unlock()
	now := time.Now()
	rush := a.isRush(now)
	for rush { // those who came before it was one may wait no longer, either
		first := a.queue.Front()
		if first == nil || now.Sub(first.Value.(*waiter).came) <= a.limits.rush {
			break
		}
		a.decide(a.queue, first, false)
	}
	switch {
	case a.begun.Len() > 0:
		a.decide(a.begun, a.begun.Front(), true)
	case a.queue.Len() == 0:
		a.free++
	case rush:
		a.decide(a.queue, a.queue.Back(), true)
	default:
		a.decide(a.queue, a.queue.Front(), true)
	}
}

func (a *admission) decide(queue *linked.List, place *linked.Element, admitted bool) {
	queue.Remove(place)
	place.Value.(*waiter).decided <- admitted
}

// placing is when a request takes its place.
type placing int

const (
	atOnce placing = iota // before the handler, and again after the body
	later                 // by the handler, when it has found no kept answer
	never                 // it needs no work of the database, or is bounded by itself
)

func (r *route) placing() placing {
	switch r.pattern {
	case "/events", "/openapi.yaml", "/imports/books":
		return never
	case "/books", "/books/{id}":
		if r.method == http.MethodGet {
			return later
		}
	case "/me":
		if r.method == http.MethodGet {
			return never
		}
	}
	return atOnce
}

// enter takes a place for the request, unless it has one or needs none.
func (x *exchange) enter() error {
	if x.place != nil || x.route.placing() == never {
		return nil
	}
	a := x.server.writes
	if x.route.method == http.MethodGet {
		a = x.server.reads
	}
	if err := a.enter(x.r.Context(), x.begun); err != nil {
		return err
	}
	x.place, x.begun = a, true
	return nil
}

// leave gives the place back, if the request has one.
func (x *exchange) leave() {
	if x.place != nil {
		x.place.leave()
		x.place = nil
	}
}
