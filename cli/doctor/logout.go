package doctor

import (
	"context"
	"encoding/json"
	"io"
	"net/http"
	"strings"

	"example.org/library/api"
)

// checkLogout checks whether sessions that end at the provider can end at the library. It says nothing of a
// library without --logout.
func (x *examination) checkLogout(ctx context.Context, sends bool) {
	const check = "logout"
	if !x.takesLogouts(ctx) {
		return
	}
	switch {
	case !sends:
		x.bad(check, "the library waits for logout tokens (--logout), and the identity provider does not say that it sends any",
			"Turn on back-channel logout there, for each client of the library, with the address "+x.address+"/logout.")
	case x.token != "" && x.person && x.claims.All.Text("sid") == "":
		x.bad(check, "your token names no session (sid), so the end of a single session does not end it",
			"The identity provider has to put the claim sid into access tokens, or to send logout tokens without a sid.")
	default:
		x.ok(check, "a session that ends at the identity provider can end here")
	}
}

// takesLogouts reports whether the library runs with --logout: then it asks for a logout token, and not for an access token.
func (x *examination) takesLogouts(ctx context.Context) bool {
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, x.address+"/logout", strings.NewReader(""))
	if err != nil {
		return false
	}
	r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	resp, err := x.http.Do(r)
	if err != nil {
		return false
	}
	defer resp.Body.Close()
	var refusal api.LogoutError
	err = json.NewDecoder(io.LimitReader(resp.Body, maxReply)).Decode(&refusal)
	return err == nil && resp.StatusCode == http.StatusBadRequest && refusal.Error == "invalid_request"
}
