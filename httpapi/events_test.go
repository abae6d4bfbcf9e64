package httpapi_test

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"example.org/library"
	"example.org/library/internal/testidp"
)

func TestEveryChangeOfABookIsAnEvent(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	const book = "11111111-2222-4333-8444-555555555555"
	l := w.listen(t, request{as: bruceBanner})
	l.wantBare("ready")
	for _, step := range []struct {
		do       func(*testing.T, *world)
		event    string
		borrowed bool
	}{
		{added("/books", peterParker, `{"identifier":"`+book+`","title":"T"}`), "added", false},
		{edited(book, `{"title":"U"}`), "edited", false},
		{lent(book, bruceWayne), "borrowed", true},
		{lent(book, bruceWayne), "", true}, // again: nothing happens
		{edited(book, `{"title":"V"}`), "edited", true},
		{returned(book, bruceWayne), "returned", false},
		{deleted("/books/"+book, peterParker), "deleted", false},
	} {
		step.do(t, w)
		if step.event != "" {
			l.want(step.event, book, step.borrowed)
		}
	}
	l.close()
	l.WantEnd()
	for _, who := range []string{wayneID, "wayne", "Wayne", "Bruce", "@", parkerID} {
		if strings.Contains(l.Text.String(), who) {
			t.Errorf("the stream names the borrower, or the curator: %s", &l.Text)
		}
	}
}

func TestAStreamHasTheHeadersOfAStreamAndOfEveryAnswer(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	l := w.listen(t, request{as: bruceWayne, header: field("Origin", "http://localhost:4200")})
	for name, want := range map[string]string{
		"Content-Type": "text/event-stream", "Cache-Control": "no-store", "X-Accel-Buffering": "no", "Content-Length": "",
		"Access-Control-Allow-Origin": "http://localhost:4200", "Access-Control-Allow-Credentials": "true",
	} {
		if got := strings.Join(l.header[name], "|"); got != want {
			t.Errorf("%s is %q, want %q", name, got, want)
		}
	}
	l.wantBare("ready")
	l.close()
	l.Rest()
	if !strings.HasPrefix(l.Text.String(), "retry: 2000\n") {
		t.Errorf("the stream begins with %.40q", l.Text.String())
	}
}

func TestEventsAreJudgedLikeEveryRoute(t *testing.T) {
	t.Parallel()
	play(t, []scenario{
		{rule: "nobody is anonymous", ask: request{path: "/events"}, status: 401, code: "missing_token"},
		{rule: "an unknown parameter is named", ask: request{as: bruceWayne, path: "/events?since=1"}, status: 400, code: "bad_query"},
		{rule: "a foreign page is refused", ask: request{as: bruceWayne, path: "/events", header: field("Origin", "http://evil.example")},
			status: 403, code: "foreign_origin"},
		{rule: "another method is refused", ask: request{as: bruceWayne, method: http.MethodPost, path: "/events"}, status: 405, code: "method_not_allowed"},
		{rule: "HEAD has an end", ask: request{as: bruceWayne, method: http.MethodHead, path: "/events"}, status: 200},
	})
}

func TestWhoResumesGetsWhatWasMissedInOrderOnce(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	l := w.listen(t, request{as: bruceWayne})
	l.wantBare("ready")
	lent(cleanCode, bruceWayne)(t, w)
	l.want("borrowed", cleanCode, true)
	l.close()

	inTurn(returned(cleanCode, bruceWayne), lent(designPatterns, bruceBanner))(t, w)
	again := w.resume(t, bruceWayne, l.Last)
	again.want("returned", cleanCode, false)
	again.want("borrowed", designPatterns, true)
	returned(designPatterns, bruceBanner)(t, w)
	again.want("returned", designPatterns, false)
	again.close()
	again.WantEnd()

	end := w.resume(t, bruceBanner, again.Last) // nothing was missed
	lent(cleanCode, bruceWayne)(t, w)
	end.want("borrowed", cleanCode, true)
	end.close()
	end.WantEnd()
}

func TestAPositionThatLeadsNowhereGivesAReset(t *testing.T) {
	t.Parallel()
	w, other := newWorld(t), newWorld(t)
	elsewhere := other.listen(t, request{as: bruceWayne})
	lent(cleanCode, bruceWayne)(t, other)
	elsewhere.wantBare("ready")
	elsewhere.want("borrowed", cleanCode, true)
	for name, ids := range map[string][]string{
		"malformed":            {"secret-position"},
		"of another library":   {elsewhere.Last},
		"hostile":              {"' OR 1=1; DROP TABLE changes --secret"},
		"long":                 {strings.Repeat("secret", 2000)},
		"not even text":        {"secret\xff\xfe"},
		"two of them":          {elsewhere.Last, elsewhere.Last},
		"made up":              {library.Position{Seq: 5, Nonce: 5}.String()},
		"beyond all positions": {library.Position{TxID: 1 << 62, Seq: 1 << 62}.String()},
	} {
		t.Run(name, func(t *testing.T) {
			l := w.listen(t, request{as: bruceWayne, header: http.Header{"Last-Event-Id": ids}})
			l.wantBare("reset")
			lent(designPatterns, bruceWayne)(t, w)
			l.want("borrowed", designPatterns, true)
			returned(designPatterns, bruceWayne)(t, w)
			l.want("returned", designPatterns, false)
			again := w.resume(t, bruceWayne, l.Last) // the new position is a good one
			lent(designPatterns, bruceWayne)(t, w)
			again.want("borrowed", designPatterns, true)
			returned(designPatterns, bruceWayne)(t, w)
		})
	}
	t.Run("empty counts as absent", func(t *testing.T) {
		w.resume(t, bruceWayne, "").wantBare("ready")
	})
	if strings.Contains(w.log.String(), "secret") || strings.Contains(w.log.String(), elsewhere.Last) {
		t.Error("a position is in the log")
	}
}

func TestAStreamEndsWithItsUser(t *testing.T) {
	t.Parallel()
	const bannerPath = "/users/" + bannerID
	for rule, c := range map[string]struct {
		do   func(*testing.T, *world)
		ends bool
	}{
		"removed":                      {deleted(bannerPath, clarkKent), true},
		"switched off":                 {switched(bannerPath, bruceBanner, "false"), true},
		"switched on, who was not off": {switched(bannerPath, bruceBanner, "true"), false},
		"with another e-mail address": {func(t *testing.T, w *world) {
			w.send(t, request{as: clarkKent, method: http.MethodPut, path: bannerPath,
				body: `{"email":"hulk@example.com","firstName":"B","lastName":"B"}`}).want(t, 200, "")
		}, true},
		"with another name": {func(t *testing.T, w *world) {
			w.send(t, request{as: clarkKent, method: http.MethodPut, path: bannerPath,
				body: `{"email":"` + bruceBanner + `","firstName":"Hulk","lastName":"B"}`}).want(t, 200, "")
		}, false},
		"who is somebody else": {deleted("/users/"+parkerID, clarkKent), false},
	} {
		t.Run(rule, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			l, bystander := w.listen(t, request{as: bruceBanner}), w.listen(t, request{as: bruceWayne})
			l.wantBare("ready")
			bystander.wantBare("ready")
			c.do(t, w)
			if c.ends {
				l.WantEnd()
			}
			lent(cleanCode, bruceWayne)(t, w)
			bystander.want("borrowed", cleanCode, true)
			if !c.ends {
				l.want("borrowed", cleanCode, true)
			}
		})
	}
}

func TestWhoHasComeBackIsNotShownOutForHavingLeft(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	l := w.listen(t, request{as: bruceBanner})
	l.wantBare("ready")
	for _, email := range []string{"hulk@example.com", bruceBanner} {
		w.send(t, request{as: clarkKent, method: http.MethodPut, path: "/users/" + bannerID,
			body: `{"email":"` + email + `","firstName":"B","lastName":"B"}`}).want(t, 200, "")
	}
	l.WantEnd()
	again := w.resume(t, bruceBanner, l.Last)
	lent(cleanCode, bruceWayne)(t, w)
	again.want("borrowed", cleanCode, true)
}

func TestAStreamEndsWithItsToken(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	var token string
	var expires time.Time
	for life := time.Second; ; life *= 2 {
		expires = time.Now().Add(life)
		token = w.idp.Mint(t, testidp.Claims{"email": bruceWayne, "exp": float64(expires.UnixMilli()) / 1000})
		if w.send(t, request{token: token, path: "/me"}).status == 200 && time.Until(expires) > life/2 {
			break // the machine is fast enough to open a stream within the rest of it
		}
	}
	l := w.listen(t, request{token: token})
	l.wantBare("ready")
	l.WantEnd()
	if early := time.Until(expires); early > 10*time.Millisecond {
		t.Errorf("it ended %v before the token", early)
	}
	w.send(t, request{token: token, path: "/events"}).want(t, 401, "expired")
}

func TestABasicStreamHasNoExpiry(t *testing.T) {
	t.Parallel()
	w := newBasicWorld(t)
	l := w.listen(t, request{header: login(bruceWayne, "secret")})
	l.wantBare("ready")
	w.send(t, request{method: http.MethodPost, path: borrowPath, header: login(bruceWayne, "secret")}).want(t, 200, "")
	l.want("borrowed", cleanCode, true)
	w.send(t, request{method: http.MethodPost, path: returnPath, header: login(bruceWayne, "secret")}).want(t, 200, "")
	l.want("returned", cleanCode, false)
	w.send(t, request{method: http.MethodDelete, path: "/users/" + wayneID, header: login(clarkKent, "secret")}).want(t, 204, "")
	l.WantEnd()
}
