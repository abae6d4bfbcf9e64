package command

import (
	"testing"

	"example.org/library/internal/testidp"
)

// Tokens of this machine may go to the demonstration on it without a word.
func TestATokenShowsWhetherItComesFromThisMachine(t *testing.T) {
	t.Parallel()
	for issuer, elsewhere := range map[string]bool{
		DemoIssuer: false, "http://127.0.0.1:1/x": false, "http://[::1]:1/x": false, "http://idp.localhost:1/": false, "": false,
		"https://id.example.com": true, "https://localhost.example.com": true, "http://10.0.0.1/": true,
	} {
		if got := comesFromElsewhere(testidp.Unsigned(`{}`, `{"iss":"`+issuer+`"}`)); got != elsewhere {
			t.Errorf("%q: %v", issuer, got)
		}
	}
	if comesFromElsewhere("opaque") {
		t.Error("a token that cannot be looked into")
	}
}
