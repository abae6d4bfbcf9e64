package command

import (
	"testing"

	"example.org/library/internal/testidp"
	"example.org/library/internal/testkit"
)

// Tokens of this machine may go to the demonstration on it without a word.
func TestATokenShowsWhetherItComesFromThisMachine(t *testing.T) {
	t.Parallel()
	for issuer, elsewhere := range map[string]bool{
		DemoIssuer: false, "http://127.0.0.1:1/x": false, "http://[::1]:1/x": false, "http://idp.localhost:1/": false, "": false,
		"https://id.example.com": true, "https://localhost.example.com": true, "http://10.0.0.1/": true,
	} {
		testkit.Equal(t, comesFromElsewhere(testidp.Unsigned(`{}`, `{"iss":"`+issuer+`"}`)), elsewhere, issuer)
	}
	if comesFromElsewhere("opaque") {
		t.Error("a token that cannot be looked into")
	}
}
