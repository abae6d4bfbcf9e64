package auth

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"mime"
	"net/http"
	"sync"
	"sync/atomic"
	"time"

	"example.org/library/auth/claims"
)

// Limits of asking the provider for the data of a person.
const (
	maxUserinfoSize   = 64 << 10
	userinfoPlaces    = 10               // how many are asked for at a time
	userinfoComplaint = 10 * time.Second // between two lines of the log
	discoveryPause    = longestPause     // after a discovery that failed
)

// UserinfoConfig says where the userinfo endpoint of an identity provider is found.
type UserinfoConfig struct {
	Issuer string           // what the discovery document must call itself
	Client *http.Client     // nil is one of its own
	Logger *slog.Logger     // nil is slog.Default()
	Now    func() time.Time // nil is time.Now
}

// Userinfo asks an identity provider for facts missing in its access tokens. It is asked with good
// tokens, and once for all callers with the same one.
type Userinfo struct {
	log   *slog.Logger
	now   func() time.Time
	fetch *fetcher // for discovery it needs the turn

	turn   chan struct{} // who has it may discover
	failed time.Time     // when that last failed, and why; of who has the turn
	why    error
	found  atomic.Pointer[endpoint]
	places chan struct{}

	asked, failures atomic.Uint64

	mu         sync.Mutex // for what follows
	inquiries  map[digest]*inquiry
	complained time.Time
}

// endpoint is the address of the userinfo endpoint, as it was found.
type endpoint struct {
	address string
	at      time.Time
}

// inquiry is a question under way. It belongs to nobody: it goes on after its waiters have left.
type inquiry struct {
	done    chan struct{}
	outcome *verified // nil if it failed
}

// NewUserinfo returns a Userinfo before its first inquiry.
func NewUserinfo(cfg UserinfoConfig) *Userinfo {
	if cfg.Now == nil {
		cfg.Now = time.Now
	}
	return &Userinfo{
		log: cmp.Or(cfg.Logger, slog.Default()), now: cfg.Now, fetch: newFetcher(KeySetConfig{Issuer: cfg.Issuer, Client: cfg.Client}),
		turn: make(chan struct{}, 1), places: make(chan struct{}, userinfoPlaces), inquiries: map[digest]*inquiry{},
	}
}

// Asked returns the numbers of inquiries and of failed ones.
func (u *Userinfo) Asked() (asked, failed uint64) { return u.asked.Load(), u.failures.Load() }

// find returns the outcome for a token: the known one, or the result of an inquiry, under way or
// begun now. It is nil if the inquiry failed, or takes too long. ask must store the outcome before
// it returns.
func (u *Userinfo) find(ctx context.Context, d digest, known func() *verified, ask func(context.Context) (*verified, error)) *verified {
	u.mu.Lock()
	if v := known(); v != nil {
		u.mu.Unlock()
		return v
	}
	q := u.inquiries[d]
	if q == nil {
		q = &inquiry{done: make(chan struct{})}
		u.inquiries[d] = q
		go u.carryOut(d, q, ask)
	}
	u.mu.Unlock()
	ctx, cancel := context.WithTimeout(ctx, fetchTimeout)
	defer cancel()
	select {
	case <-q.done:
		return q.outcome
	case <-ctx.Done():
		return nil
	}
}

// carryOut waits for a place and asks.
func (u *Userinfo) carryOut(d digest, q *inquiry, ask func(context.Context) (*verified, error)) {
	err := errors.New("too many are asked for")
	select {
	case u.places <- struct{}{}:
		q.outcome, err = u.askOnce(ask)
		<-u.places
	case <-time.After(fetchTimeout):
	}
	u.mu.Lock()
	delete(u.inquiries, d)
	complain := err != nil && u.now().Sub(u.complained) >= userinfoComplaint
	if complain {
		u.complained = u.now()
	}
	u.mu.Unlock()
	if err != nil {
		u.failures.Add(1)
	}
	if complain {
		u.log.Warn("userinfo not obtained", "error", err, "failures", u.failures.Load())
	}
	close(q.done)
}

func (u *Userinfo) askOnce(ask func(context.Context) (*verified, error)) (*verified, error) {
	u.asked.Add(1)
	ctx, cancel := context.WithTimeout(context.Background(), fetchTimeout)
	defer cancel()
	return ask(ctx)
}

// claimsOf asks the provider about the person of the token. The subject must be the same.
func (u *Userinfo) claimsOf(ctx context.Context, token, subject string) (claims.Set, error) {
	address, err := u.address(ctx)
	if err != nil {
		return nil, err
	}
	answer, err := u.get(ctx, address, token)
	if err != nil {
		u.distrust()
		return nil, err
	}
	if answer.Text("sub") != subject {
		return nil, errors.New("userinfo answer: it is about another subject than the token")
	}
	return answer, nil
}

func (u *Userinfo) get(ctx context.Context, address, token string) (claims.Set, error) {
	body, header, err := u.fetch.getWith(ctx, address, maxUserinfoSize, "Bearer "+token)
	if err != nil {
		return nil, err
	}
	if kind, _, _ := mime.ParseMediaType(header.Get("Content-Type")); kind == "application/jwt" {
		return nil, errors.New("userinfo answer: it is signed (application/jwt); the provider has to answer this client in JSON")
	}
	answer, err := claims.Parse(body)
	if err != nil {
		return nil, fmt.Errorf("userinfo answer: %w", err)
	}
	return answer, nil
}

// address returns the address of the userinfo endpoint. One caller at a time discovers it, again
// every few minutes. After a failure the known address is used for a while longer; without one,
// there is a pause before the next try.
func (u *Userinfo) address(ctx context.Context) (string, error) {
	select {
	case u.turn <- struct{}{}:
	case <-ctx.Done():
		return "", ctx.Err()
	}
	defer func() { <-u.turn }()
	known := u.found.Load()
	if known != nil && u.now().Sub(known.at) < regularPause {
		return known.address, nil
	}
	if known == nil && u.now().Sub(u.failed) < discoveryPause {
		return "", u.why
	}
	next := &endpoint{at: u.now()}
	address, err := u.fetch.discovered(ctx, "userinfo_endpoint")
	switch {
	case err == nil:
		next.address = address
	case known != nil:
		next.address, next.at = known.address, next.at.Add(discoveryPause-regularPause)
	default:
		u.failed, u.why = u.now(), err
		return "", err
	}
	u.found.Store(next)
	return next.address, nil
}

// distrust makes the next inquiry discover the endpoint again, unless it was found a moment ago.
func (u *Userinfo) distrust() {
	if e := u.found.Load(); e != nil && u.now().Sub(e.at) >= askPause {
		u.found.CompareAndSwap(e, nil)
	}
}

// unaddressed is a good token without an e-mail address.
type unaddressed struct {
	raw    string
	digest digest
	keys   *ring // that it was verified with
	holder *Identity
	now    time.Time
}

// withAddress returns the identity with the e-mail address known to the provider, if it is to be
// asked.
func (b *Bearer) withAddress(ctx context.Context, t unaddressed) (*Identity, *Error) {
	// A token bound to a key needs a proof, made by its holder alone.
	if b.cfg.Userinfo == nil || t.holder.Person().Subject == "" || t.holder.Thumbprint != "" {
		return nil, b.noAddress
	}
	v := b.cfg.Userinfo.find(ctx, t.digest,
		func() *verified { return b.recall(t.digest, t.now) },
		func(ctx context.Context) (*verified, error) { return b.askAddress(ctx, t) })
	if v == nil {
		return nil, errNoUserinfo
	}
	return v.identity, v.refusal
}

// failed stores a failed inquiry about a token, until the time at which callers are told to come
// again.
func (b *Bearer) failed(t unaddressed) {
	now := b.cfg.Now()
	b.remember(t.keys, &verified{digest: t.digest, refusal: errNoUserinfo, expires: now.Add(errNoUserinfo.RetryAfter)}, now)
}

// askAddress asks the provider and stores the answer while the token is good.
func (b *Bearer) askAddress(ctx context.Context, t unaddressed) (*verified, error) {
	person := t.holder.person
	answer, err := b.cfg.Userinfo.claimsOf(ctx, t.raw, person.Subject)
	if err != nil {
		b.failed(t)
		return nil, err
	}
	v := &verified{digest: t.digest, expires: t.holder.Expires}
	id := *t.holder
	id.Email, id.person = b.cfg.Mapping.Email(answer), merge(person, claims.PersonOf(answer))
	switch {
	case id.Email == "":
		v.refusal = b.noAddress
	case b.cfg.RequireVerifiedEmail && !id.person.EmailVerified.IsVerified():
		v.refusal = errUnverified
	default:
		v.identity = &id
	}
	b.remember(t.keys, v, t.now)
	return v, nil
}

// merge adds the provider's facts about a person to the token's. The source of the address also
// says whether it is verified.
func merge(token, answer claims.Person) claims.Person {
	return claims.Person{
		Issuer: token.Issuer, Subject: token.Subject, EmailVerified: answer.EmailVerified,
		GivenName: cmp.Or(token.GivenName, answer.GivenName), FamilyName: cmp.Or(token.FamilyName, answer.FamilyName), Name: cmp.Or(token.Name, answer.Name),
		Locale: cmp.Or(token.Locale, answer.Locale),
	}
}
