package e2e

import (
	"strings"
	"sync"
	"testing"

	"example.org/library/internal/testidp"
	"example.org/library/internal/testkit"
)

// TestAPersonWhoseTokenHasNoAddressIsLetIn asks the provider, once for a crowd.
func TestAPersonWhoseTokenHasNoAddressIsLetIn(t *testing.T) {
	t.Parallel()
	idp := testidp.New(t)
	idp.SetUserinfo(testidp.Claims{"sub": "z-1", "email": "Bruce.Wayne@example.com", "email_verified": true})
	s := startWith(t, idp, "--database", emptySQLite(t), "--sample-data", "--userinfo", "on", "--require-verified-email")
	s.awaitReady(t)
	without := func(sub any) string { return idp.Mint(t, testidp.Claims{"email": nil, "sub": sub}) }
	token := without("z-1")
	var wg sync.WaitGroup
	for range 100 {
		wg.Go(func() { s.with(t, token).get("/me").want(200) })
	}
	wg.Wait()
	testkit.Equal(t, idp.Userinfos(), 1, "questions")

	s.with(t, without("z-2")).get("/me").want(503) // the answer is about somebody else
	s.with(t, without(7)).get("/me").want(401)
	idp.SetUserinfo(testidp.Claims{"sub": "z-3"})
	s.with(t, without("z-3")).get("/me").want(401)
	idp.SetUserinfo(testidp.Claims{"sub": "z-4", "email": "bruce.wayne@example.com", "email_verified": false})
	s.with(t, without("z-4")).get("/me").want(401)
	if _, metrics := s.manage(t, "/metrics"); !strings.Contains(string(metrics), "library_userinfo_failures_total 1\n") {
		t.Errorf("the metrics do not count one failure")
	}
	idp.Fail(true)
	s.with(t, token).get("/me").want(200)
	s.with(t, without("z-5")).get("/me").want(503)
}
