package auth

import (
	"bytes"
	"context"
	"encoding/base64"
	"log/slog"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"golang.org/x/crypto/bcrypt"

	"example.org/library/internal/testkit"
)

// hashOf returns a bcrypt hash of the lowest cost there is.
func hashOf(password string) string {
	hash, err := bcrypt.GenerateFromPassword([]byte(password), bcrypt.MinCost)
	if err != nil {
		panic(err)
	}
	return string(hash)
}

func writePasswords(t *testing.T, path, content string) {
	t.Helper()
	testkit.NoError(t, os.WriteFile(path, []byte(content), 0o600))
}

// newTestBasic returns a Basic with the lines as its file, and that file.
func newTestBasic(t *testing.T, c *testkit.Clock, log *bytes.Buffer, lines ...string) (*Basic, string) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "htpasswd")
	writePasswords(t, path, strings.Join(lines, "\n")+"\n")
	logger := slog.New(slog.DiscardHandler)
	if log != nil {
		logger = slog.New(slog.NewTextHandler(log, nil))
	}
	b, err := NewBasic(BasicConfig{Path: path, Logger: logger, Now: c.Now})
	testkit.NoError(t, err)
	return b, path
}

func basicField(credentials string) string {
	return "Basic " + base64.StdEncoding.EncodeToString([]byte(credentials))
}

func TestBasicCredentials(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("p", 73)
	b, _ := newTestBasic(t, testkit.NewClock(testNow), nil,
		"# people", "", "Clark.Kent@example.com:"+hashOf("kent"), "  ünï@example.com:"+hashOf("pässword:with:colons")+"  \r",
		"y@example.com:"+strings.Replace(hashOf("y"), "$2a$", "$2y$", 1), "b@example.com:"+strings.Replace(hashOf("b"), "$2a$", "$2b$", 1),
		"long@example.com:"+hashOf(long[:72]), "empty@example.com:"+hashOf(""))
	good := basicField("clark.kent@example.com:kent")
	for name, tt := range map[string]struct {
		fields []string
		want   string // e-mail address, "" if refused
	}{
		"the right password":               {[]string{good}, "Clark.Kent@example.com"},
		"the login in another case":        {[]string{basicField("CLARK.KENT@EXAMPLE.COM:kent")}, "Clark.Kent@example.com"},
		"the scheme in another case":       {[]string{"bASIC " + good[6:]}, "Clark.Kent@example.com"},
		"several spaces":                   {[]string{"Basic   " + good[6:]}, "Clark.Kent@example.com"},
		"a password with colons":           {[]string{basicField("ünï@example.com:pässword:with:colons")}, "ünï@example.com"},
		"a hash of kind 2y":                {[]string{basicField("y@example.com:y")}, "y@example.com"},
		"a hash of kind 2b":                {[]string{basicField("b@example.com:b")}, "b@example.com"},
		"a password of 72 bytes":           {[]string{basicField("long@example.com:" + long[:72])}, "long@example.com"},
		"a password of 73 bytes":           {[]string{basicField("long@example.com:" + long)}, ""},
		"nothing":                          {nil, ""},
		"an empty field":                   {[]string{""}, ""},
		"the scheme alone":                 {[]string{"Basic"}, ""},
		"a bearer token":                   {[]string{"Bearer " + ecSigner().token(nil)}, ""},
		"two fields":                       {[]string{good, good}, ""},
		"the wrong password":               {[]string{basicField("clark.kent@example.com:Kent")}, ""},
		"an empty password":                {[]string{basicField("clark.kent@example.com:")}, ""},
		"a password and a zero byte":       {[]string{basicField("clark.kent@example.com:kent\x00")}, ""},
		"a password and a line break":      {[]string{basicField("clark.kent@example.com:kent\n")}, ""},
		"a password and a space":           {[]string{basicField("clark.kent@example.com:kent ")}, ""},
		"an unknown login":                 {[]string{basicField("lex@example.com:kent")}, ""},
		"an empty login":                   {[]string{basicField(":kent")}, ""},
		"no colon":                         {[]string{basicField("clark.kent@example.com")}, ""},
		"a login that folds by Unicode":    {[]string{basicField("clar\u212A.kent@example.com:kent")}, ""},
		"letters beyond ASCII do not fold": {[]string{basicField("ÜNÏ@example.com:pässword:with:colons")}, ""},
		"broken UTF-8":                     {[]string{basicField("clark.kent@example.com:kent\xff")}, ""},
		"a comment as login":               {[]string{basicField("# people:x")}, ""},
		"no base64":                        {[]string{"Basic clark.kent@example.com:kent"}, ""},
		"base64 without padding":           {[]string{strings.TrimRight(basicField("long@example.com:"+long[:72]), "=")}, ""},
		"base64 with an unused bit":        {[]string{"Basic eUBleGFtcGxlLmNvbTp5AB=="}, ""},
		"base64 and a line break":          {[]string{good[:10] + "\n" + good[10:]}, ""},
		"base64 and something after it":    {[]string{good + " x"}, ""},
		"the other base64":                 {[]string{"Basic " + base64.URLEncoding.EncodeToString([]byte("clark.kent@example.com:kent???>>>"))}, ""},
		"very long":                        {[]string{basicField("clark.kent@example.com:" + strings.Repeat("x", 10_000))}, ""},
	} {
		t.Run(name, func(t *testing.T) { // one after the other: who waits longer than a second for a check is refused
			id, err := b.Authenticate(requestWith(tt.fields...))
			if tt.want == "" {
				if err != error(errUnauthorized) {
					t.Errorf("got %v, %v", id, err)
				}
				return
			}
			if err != nil || id.Email != tt.want || !id.FromRecord || id.Authorities != nil {
				t.Errorf("got %+v, %v; want %s", id, err, tt.want)
			}
		})
	}
}

func TestAGoodCheckIsRememberedForAMinute(t *testing.T) {
	t.Parallel()
	c := testkit.NewClock(testNow)
	b, _ := newTestBasic(t, c, nil, "a@example.com:"+hashOf("x"))
	r := requestWith(basicField("A@example.com:x"))
	check := func(want string) {
		t.Helper()
		testkit.Equal(t, reasonOf(b.Authenticate(r)), want)
	}
	check("")
	fill(b)
	check("")
	c.Advance(time.Minute - 1)
	check("")
	// Another spelling of the login is the same login; another password is not.
	if _, err := b.Authenticate(requestWith(basicField("a@EXAMPLE.com:x"))); err != nil {
		t.Error(err)
	}
	c.Advance(1)
	ctx, cancel := context.WithCancel(t.Context())
	cancel() // so as not to wait for a slot
	r = r.WithContext(ctx)
	check("busy")
	<-b.slots
	check("")
}

// fill takes all slots for password checks.
func fill(b *Basic) {
	for range cap(b.slots) {
		b.slots <- struct{}{}
	}
}

func TestTooManyChecksAtOnceAreTurnedAway(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		b, _ := newTestBasic(t, testkit.NewClock(testNow), nil, "a@example.com:"+hashOf("x"))
		r := requestWith(basicField("a@example.com:x"))
		fill(b)
		began := time.Now()
		_, err := b.Authenticate(r)
		if e := err.(*Error); e.Status != http.StatusServiceUnavailable || e.Code != "busy" || e.RetryAfter <= 0 || e.Challenge != "" {
			t.Errorf("got %+v", e)
		}
		testkit.Equal(t, time.Since(began), slotWait, "the wait")
		// Those who wait get their turn when a slot becomes free.
		var wg sync.WaitGroup
		for range 20 {
			wg.Go(func() {
				if _, err := b.Authenticate(r); err != nil {
					t.Error(err)
				}
			})
		}
		synctest.Wait()
		<-b.slots
		wg.Wait()
	})
}

func TestOnlyGoodChecksAreRememberedAndTheirNumberIsBounded(t *testing.T) {
	t.Parallel()
	c := testkit.NewClock(testNow)
	b, _ := newTestBasic(t, c, nil, "a@example.com:"+hashOf("x"))
	for _, credentials := range []string{"a@example.com:y", "b@example.com:x", "b@example.com:"} {
		if _, err := b.Authenticate(requestWith(basicField(credentials))); err == nil {
			t.Errorf("%s was accepted", credentials)
		}
	}
	testkit.Equal(t, len(b.recent.until), 0, "remembered")
	for i := range 3 * maxProofs {
		b.recent.add(digest{byte(i), byte(i >> 8), byte(i >> 16)})
	}
	testkit.Equal(t, len(b.recent.until), maxProofs, "remembered")
	c.Advance(proofLifetime)
	b.recent.add(digest{255})
	testkit.Equal(t, len(b.recent.until), 1, "remembered after all others ran out")
}

func TestAnUnknownLoginTakesAsLongAsAKnownOne(t *testing.T) {
	t.Parallel()
	cheap := hashOf("x")
	dear := strings.Replace(cheap, "$04$", "$12$", 1)
	b, _ := newTestBasic(t, testkit.NewClock(testNow), nil, "a@example.com:"+cheap, "b@example.com:"+dear)
	costs := map[int]bool{}
	for _, login := range []string{"c", "d", "e", "f", "g", "h", "i", "j", "k", "l", "m", "n", "o", "p", "q", "r", "s", "t"} {
		decoy, known := b.account(login)
		again, _ := b.account(strings.ToUpper(login))
		if known || decoy != again {
			t.Errorf("%s: known %v, the same decoy each time: %v", login, known, decoy == again)
		}
		cost, err := bcrypt.Cost(decoy.hash)
		testkit.NoError(t, err)
		costs[cost] = true
	}
	if len(costs) != 2 || !costs[4] || !costs[12] {
		t.Errorf("costs: %v", costs)
	}
	testkit.Equal(t, bcrypt.CompareHashAndPassword(newDecoy(4).hash, []byte("x")), bcrypt.ErrMismatchedHashAndPassword, "checking a decoy")
}

func TestNobodyGetsInWithADecoy(t *testing.T) {
	t.Parallel()
	b, _ := newTestBasic(t, testkit.NewClock(testNow), nil, "a@example.com:"+hashOf("x"))
	b.file.content.Load().decoys[0].hash = []byte(hashOf("y")) // as if its password were known
	testkit.Equal(t, reasonOf(b.Authenticate(requestWith(basicField("b@example.com:y")))), "unauthorized")
}

func TestAChangedPasswordFileIsReadAgain(t *testing.T) {
	t.Parallel()
	c := testkit.NewClock(testNow)
	var log bytes.Buffer
	b, path := newTestBasic(t, c, &log, "a@example.com:"+hashOf("old"))
	accepts := func(credentials string, want bool) {
		t.Helper()
		if _, err := b.Authenticate(requestWith(basicField(credentials))); (err == nil) != want {
			t.Errorf("%s: got %v", credentials, err)
		}
	}
	accepts("a@example.com:old", true)

	writePasswords(t, path, "a@example.com:"+hashOf("new")+"\nb@example.com:"+hashOf("b")+"\n")
	accepts("a@example.com:old", true) // not looked at yet
	c.Advance(lookPause)
	accepts("a@example.com:old", false) // although it was remembered
	accepts("a@example.com:new", true)
	accepts("b@example.com:b", true)

	writePasswords(t, path, "a@example.com:secret-in-plain-text\n")
	c.Advance(lookPause)
	accepts("b@example.com:b", true)
	c.Advance(lookPause)
	accepts("b@example.com:b", true)
	if n := strings.Count(log.String(), "line 1: not a bcrypt hash"); n != 1 || strings.Contains(log.String(), "plain") {
		t.Errorf("log:\n%s", log.String())
	}

	testkit.NoError(t, os.Remove(path))
	c.Advance(lookPause)
	accepts("b@example.com:b", true)

	writePasswords(t, path, "a@example.com:"+hashOf("newest")+"\n")
	c.Advance(lookPause)
	accepts("b@example.com:b", false)
	accepts("a@example.com:newest", true)
}
