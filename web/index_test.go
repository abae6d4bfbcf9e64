package web

import (
	"bytes"
	"encoding/json"
	"fmt"
	"image/png"
	"os"
	"path"
	"regexp"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"

	"example.org/library/internal/testkit"
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
			"clientId": "library-web", "basePath": "/", "scopes": "openid email profile", "name": "",
		}},
		{"a base path, scopes and a name", Config{Issuer: "http://a", API: "http://b", ClientID: "c", BasePath: "/d/e", Scopes: "openid x", Name: "Reading Room"}, map[string]string{
			"issuer": "http://a", "api": "http://b", "clientId": "c", "basePath": "/d/e/", "scopes": "openid x", "name": "Reading Room",
		}},
		{"what could end the element", Config{Issuer: "http://a/</script><script>", API: "http://b/?c&d", ClientID: `<!--"'\` + "\u2028" + ` ="./`, Name: `</title><script>`}, map[string]string{
			"issuer": "http://a/</script><script>", "api": "http://b/?c&d", "clientId": `<!--"'\` + "\u2028" + ` ="./`,
			"basePath": "/", "scopes": "openid email profile", "name": `</title><script>`,
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

func TestThePageSaysThatTheCatalogueIsPublic(t *testing.T) {
	t.Parallel()
	for _, isPublic := range []bool{false, true} {
		cfg := somewhere
		cfg.PublicCatalogue = isPublic
		page := text(t, serving(t, cfg).ask("GET", "/").Body)
		if strings.Contains(page, `"publicCatalogue":true`) != isPublic {
			t.Errorf("public %v: %s", isPublic, page)
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

func TestPageAndManifestBearTheNameOfTheLibrary(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ name, title, want string }{
		{"", "<title>Library</title>", "Library"},
		{"Bücherei", "<title>Bücherei</title>", "Bücherei"},
		{`</title><b href="./x">&`, "<title>&lt;/title&gt;&lt;b href=&#34;./x&#34;&gt;&amp;</title>", `</title><b href="./x">&`},
	} {
		cfg := somewhere
		cfg.Name, cfg.BasePath = c.name, "/library"
		h := serving(t, cfg)
		if html := text(t, h.ask("GET", "/library/loans").Body); !strings.Contains(html, c.title) {
			t.Errorf("no %s in:\n%s", c.title, html)
		}
		var got manifest
		testkit.NoError(t, json.Unmarshal([]byte(text(t, h.ask("GET", "/library/manifest.webmanifest").Body)), &got))
		if got.Name != c.want || got.ShortName != c.want || got.StartURL != "/library/" || got.Scope != "/library/" || got.ID != "/library/" || got.Display != "standalone" {
			t.Errorf("manifest: %+v", got)
		}
	}
}

// The files of icons are in the repository, so this holds without a build.
func TestIconsOfTheManifestAreThereInTheirSize(t *testing.T) {
	t.Parallel()
	var got manifest
	testkit.NoError(t, json.Unmarshal([]byte(text(t, serving(t, somewhere).ask("GET", "/manifest.webmanifest").Body)), &got))
	kinds := map[string]int{}
	for _, i := range got.Icons {
		data, err := os.ReadFile("public/" + i.Source)
		if err != nil {
			t.Error(err)
			continue
		}
		kinds[i.Purpose+" "+i.Sizes]++
		if i.Type != types[path.Ext(i.Source)] {
			t.Errorf("%s is said to be %s", i.Source, i.Type)
		}
		if i.Type != "image/png" {
			continue
		}
		picture, err := png.DecodeConfig(bytes.NewReader(data))
		if size := fmt.Sprintf("%dx%d", picture.Width, picture.Height); err != nil || size != i.Sizes {
			t.Errorf("%s is %s, said to be %s; %v", i.Source, size, i.Sizes, err)
		}
	}
	for _, kind := range []string{"any any", "any 192x192", "any 512x512", "maskable 192x192", "maskable 512x512"} {
		if kinds[kind] != 1 {
			t.Errorf("there is no icon %s", kind)
		}
	}
}
