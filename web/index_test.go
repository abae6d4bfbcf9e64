package web

import (
	"encoding/json"
	"regexp"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"
)

var configuration = regexp.MustCompile(`(?s)<script type="application/json" id="config">(.*?)</script>`)

func TestPageHoldsItsConfiguration(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		rule string
		cfg  Config
		want map[string]string
	}{
		{"as it is", somewhere, map[string]string{
			"issuer": "https://login.example/realms/main", "api": "https://api.example:8443/library-server",
			"clientId": "library-web", "basePath": "/", "scopes": "openid email profile",
		}},
		{"a base path and scopes", Config{Issuer: "http://a", API: "http://b", ClientID: "c", BasePath: "/d/e", Scopes: "openid x"}, map[string]string{
			"issuer": "http://a", "api": "http://b", "clientId": "c", "basePath": "/d/e/", "scopes": "openid x",
		}},
		{"what could end the element", Config{Issuer: "http://a/</script><script>", API: "http://b/?c&d", ClientID: `<!--"'\` + "\u2028" + ` ="./`}, map[string]string{
			"issuer": "http://a/</script><script>", "api": "http://b/?c&d", "clientId": `<!--"'\` + "\u2028" + ` ="./`,
			"basePath": "/", "scopes": "openid email profile",
		}},
	} {
		resp := serving(t, c.cfg).ask("GET", strings.TrimSuffix(c.cfg.BasePath, "/")+"/loans")
		found := configuration.FindAllStringSubmatch(text(t, resp.Body), -1)
		if len(found) != 1 || strings.ContainsAny(found[0][1], "<>&\u2028") {
			t.Errorf("%s: %q", c.rule, found)
			continue
		}
		var got map[string]string
		if err := json.Unmarshal([]byte(found[0][1]), &got); err != nil {
			t.Errorf("%s: %v", c.rule, err)
		}
		if diff := cmp.Diff(c.want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", c.rule, diff)
		}
	}
}

func TestAddressesInThePageBeginWithTheBasePath(t *testing.T) {
	t.Parallel()
	for base, want := range map[string][]string{
		"":          {`href="/icon.svg"`, `src="/assets/index-a1.js"`},
		"/library/": {`href="/library/icon.svg"`, `src="/library/assets/index-a1.js"`},
	} {
		cfg := somewhere
		cfg.BasePath = base
		html := text(t, serving(t, cfg).ask("GET", strings.TrimSuffix(base, "/")+"/loans").Body)
		for _, part := range want {
			if !strings.Contains(html, part) {
				t.Errorf("under %q there is no %s in:\n%s", base, part, html)
			}
		}
	}
}

func TestPageWithoutAPlaceForItsConfigurationIsRefused(t *testing.T) {
	t.Parallel()
	for _, html := range []string{"", "<p>", slot + slot, strings.Replace(slot, "{}", "{ }", 1)} {
		if _, err := newHandler(somewhere, fstest.MapFS{"index.html": {Data: []byte(html)}}); err == nil || !strings.Contains(err.Error(), "index.html") {
			t.Errorf("%q: %v", html, err)
		}
	}
}
