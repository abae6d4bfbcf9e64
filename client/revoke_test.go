package client

import (
	"errors"
	"net/http"
	"testing"

	"example.org/library/internal/testkit"
)

func TestARevokedTokenCannotBeRenewed(t *testing.T) {
	t.Parallel()
	p := discover(t, startIDP(t).Issuer)
	token := personToken(t, p)
	testkit.NoError(t, p.Revoke(t.Context(), service, token))
	if _, err := p.Refresh(t.Context(), service, token); err != ErrSessionEnded {
		t.Errorf("renewed after revocation: %v", err)
	}
	if err := p.Revoke(t.Context(), service, token); err != nil {
		t.Errorf("revoked twice: %v", err)
	}
}

func TestAnAccessTokenIsRevokedIfThereIsNoOther(t *testing.T) {
	t.Parallel()
	i := startIDP(t)
	p := discover(t, i.Issuer)
	token := personToken(t, p)
	userinfo := func() int {
		r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, i.Issuer+"/protocol/openid-connect/userinfo", nil)
		testkit.NoError(t, err)
		r.Header.Set("Authorization", "Bearer "+token.Access)
		resp, err := http.DefaultClient.Do(r)
		testkit.NoError(t, err)
		resp.Body.Close()
		return resp.StatusCode
	}
	if got := userinfo(); got != http.StatusOK {
		t.Fatalf("before: %d", got)
	}
	testkit.NoError(t, p.Revoke(t.Context(), service, Token{Access: token.Access}))
	testkit.Equal(t, userinfo(), http.StatusUnauthorized, "after the revocation")
}

func TestARefusedRevocationSaysWhy(t *testing.T) {
	t.Parallel()
	p := discover(t, startIDP(t).Issuer)
	says(t, p.Revoke(t.Context(), Credentials{service.ID, "s3cr3t"}, personToken(t, p)), "revoking the token", "invalid_client")
}

func TestTheAnswerToARevocationIsNotRead(t *testing.T) {
	t.Parallel()
	f := startFake(t)
	f.revoke = func(w http.ResponseWriter, r *http.Request) {
		if r.FormValue("token") != "r" || r.FormValue("token_type_hint") != "refresh_token" {
			t.Errorf("sent %v", r.Form)
		}
		_, _ = w.Write([]byte("<html>gone"))
	}
	if err := discover(t, f.URL).Revoke(t.Context(), terminal, Token{Access: "a", Refresh: "r"}); err != nil {
		t.Error(err)
	}
}

func TestAProviderNeedNotRevoke(t *testing.T) {
	t.Parallel()
	f := startFake(t)
	f.document = changed(f.document, "revocation_endpoint", nil)
	p := discover(t, f.URL)
	testkit.ErrorIs(t, p.Revoke(t.Context(), terminal, Token{}), errors.ErrUnsupported)
}

func TestAnEndedSessionCannotBeRenewed(t *testing.T) {
	t.Parallel()
	p := discover(t, startIDP(t).Issuer)
	token := personToken(t, p)
	testkit.NoError(t, p.EndSession(t.Context(), service, Token{Refresh: token.Refresh})) // it does not say which
	token, err := p.Refresh(t.Context(), service, token)
	testkit.NoError(t, err)
	testkit.NoError(t, p.EndSession(t.Context(), service, token))
	if _, err := p.Refresh(t.Context(), service, token); err != ErrSessionEnded {
		t.Errorf("renewed after the end of the session: %v", err)
	}
}
