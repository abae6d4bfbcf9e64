package profile

import (
	"errors"
	"reflect"
	"strings"
	"testing"

	"example.org/library/internal/testkit"
)

func aServer(address string) Server {
	return Server{
		Address: address, Issuer: "https://id.example.com/realms/library", ClientID: "library-cli",
		Kind: Person, Name: "Bruce Wayne", Email: "bruce.wayne@example.com", Kept: InFile,
	}
}

func serversAt(addresses ...string) Servers {
	var s Servers
	for _, address := range addresses {
		s.put(aServer(address))
	}
	return s
}

func TestServersAreReadAsTheyWereWritten(t *testing.T) {
	t.Parallel()
	want := serversAt("https://b.example.com/library-server", "http://a.example.com")
	want.Current = "http://a.example.com"
	data, err := want.format()
	testkit.NoError(t, err)
	got, err := parseServers(data)
	if err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("got %+v, %v\nwant %+v", got, err, want)
	}
}

func TestDamagedServersAreRefusedWithAReason(t *testing.T) {
	t.Parallel()
	good, err := serversAt("https://a.example.com/library-server").format()
	testkit.NoError(t, err)
	change := func(old, new string) string {
		changed := strings.Replace(string(good), old, new, 1)
		if changed == string(good) {
			t.Fatalf("there is no %s", old)
		}
		return changed
	}
	for _, c := range []struct{ rule, text, says string }{
		{"nothing", "", "not valid JSON"},
		{"half of it", string(good[:len(good)/2]), "not valid JSON"},
		{"no object", "[]", "not a JSON object"},
		{"two members of one name", `{"version":1,"version":1}`, "duplicate"},
		{"a later version", change(`"version": 1`, `"version": 2`), "version is 2"},
		{"a value of the wrong kind", change(`"kind": "person"`, `"kind": 7`), "wrong kind"},
		{"a kind that is none", change(`"kind": "person"`, `"kind": "robot"`), "neither person nor service"},
		{"a place that is none", change(`"kept": "file"`, `"kept": "cloud"`), "keyring or in the file"},
		{"no client", change(`"library-cli"`, `""`), "client id"},
		{"an address that is none", change(`"https://a.example.com/library-server"`, `"a.example.com"`), "address"},
		{"an address in another spelling", change(`"https://a.example.com/library-server"`, `"https://A.example.com/library-server"`), "address"},
		{"an issuer that is none", change(`https://id.example.com/realms/library`, `file:///etc/passwd`), "issuer"},
		{"an issuer with a password", change(`https://id.example.com`, `https://user:s3cr3t@id.example.com`), "issuer"},
		{"a current one that is not there", change(`"servers"`, `"current": "https://b.example.com", "servers"`), "current"},
		{"a text without end", change(`Bruce Wayne`, strings.Repeat("x", maxText+1)), "too long"},
	} {
		t.Run(c.rule, func(t *testing.T) {
			t.Parallel()
			_, err := parseServers([]byte(c.text))
			if err == nil || !strings.Contains(err.Error(), c.says) || strings.Contains(err.Error(), "s3cr3t") {
				t.Errorf("error %v, want one with %q", err, c.says)
			}
		})
	}
}

const (
	local  = "http://localhost:9091/library-server"
	work   = "https://books.example.com/work"
	test   = "https://books.example.com/test"
	plain  = "http://twin.example.com"
	secure = "https://twin.example.com"
)

// found checks what texts find: an address, "" for nothing or "ambiguous".
func found(t *testing.T, find func(string) (Server, error), want map[string]string) {
	t.Helper()
	for text, want := range want {
		got, err := find(text)
		var ambiguous *AmbiguousError
		switch {
		case want == "ambiguous" && errors.As(err, &ambiguous) && len(ambiguous.Names) == 2:
		case want == "" && errors.Is(err, ErrUnknown):
		case err == nil && got.Address == want && want != "":
		default:
			t.Errorf("%q: got %s, %v; want %q", text, got.Address, err, want)
		}
	}
}

func TestServersHaveShortNames(t *testing.T) {
	t.Parallel()
	s := serversAt(local, work, test, plain, secure)
	for address, name := range map[string]string{
		local: "localhost:9091", work: "books.example.com/work", test: "books.example.com/test", plain: plain, secure: secure,
	} {
		if got := s.Name(address); got != name {
			t.Errorf("name of %s is %s, want %s", address, got, name)
		}
	}
}

func TestServersAreFoundByNameOrAddressOrHost(t *testing.T) {
	t.Parallel()
	s := serversAt(local, work, test, plain, secure)
	found(t, s.Find, map[string]string{
		"localhost:9091": local, "LocalHost:9091": local, " localhost:9091/": local, "http://localhost:9091": local, local + "/": local,
		"localhost:9091/library-server": local, "HTTP://LOCALHOST:9091/library-server": local,
		"books.example.com/work": work, "http://twin.example.com/": plain, "https://Twin.example.com": secure,
		"books.example.com": "ambiguous", "https://books.example.com": "ambiguous", "twin.example.com": "ambiguous",
		// Half a name could be the whole name of another host.
		"l": "", "localhost": "", "localhost:909": "", "localhost:9091/library": "", "books.example.com/w": "", "books": "", "twin": "",
		"http://localhost": "", "http://localhost:909": "", "https://books.example.com/t": "", "https://localhost:9091": "", local + "/more": "",
		"x": "", "": "", " ": "", "/": "", "ocalhost": "", "://localhost:9091": "",
	})
	deep := serversAt("https://books.example.com/a/b")
	found(t, deep.Find, map[string]string{
		"books.example.com": "https://books.example.com/a/b", "books.example.com/a": "", "https://books.example.com/a": "",
	})
}

func TestWhoChoosesAServerNeedsOnlySayItsBeginning(t *testing.T) {
	t.Parallel()
	s := serversAt(local, work, test, plain, secure)
	found(t, s.FindByBeginning, map[string]string{
		"localhost:9091": local, "l": local, "LOCAL": local, "http://localhost:9091": local, local: local,
		"books.example.com/w": work, "https://Twin.example.com": secure,
		"books.example.com": "ambiguous", "b": "ambiguous", "twin": "ambiguous",
		"x": "", "": "", " ": "", "/": "", "ocalhost": "", "http://localhost": "", "http://localhost:909": "", "https://books.example.com/t": "",
	})
	// A whole name wins over the beginning of another.
	ports := serversAt("http://localhost:3729", "http://localhost:37297")
	found(t, ports.FindByBeginning, map[string]string{"localhost:3729": "http://localhost:3729", "localhost:372": "ambiguous"})
}

func TestAddressesHaveOneSpelling(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"https://Library.Example.com/library-server/": "https://library.example.com/library-server",
		" http://localhost:9091 ":                     "http://localhost:9091",
		"http://[::1]:9091/x//":                       "http://[::1]:9091/x",
		"library.example.com":                         "", "localhost:9091": "", "ftp://x": "", "https://": "", "": "",
		"https://me@example.com": "", "https://example.com?x=1": "", "https://example.com#x": "", "https://example.com?": "",
	} {
		got, err := Address(text)
		if got != want || (err != nil) != (want == "") {
			t.Errorf("%q: got %q, %v; want %q", text, got, err, want)
		}
	}
}

func TestTheOnlyServerThatIsLeftIsTheCurrentOne(t *testing.T) {
	t.Parallel()
	s := serversAt("http://a", "http://b", "http://c")
	s.Current = "http://a"
	for _, c := range []struct{ remove, current string }{{"http://a", ""}, {"http://b", ""}} {
		if s.remove(c.remove); s.Current != c.current {
			t.Errorf("without %s the current one is %q, want %q", c.remove, s.Current, c.current)
		}
	}
	s = serversAt("http://a", "http://b")
	s.Current = "http://a"
	if s.remove("http://a"); s.Current != "http://b" {
		t.Errorf("the current one is %q", s.Current)
	}
	if s.remove("http://b"); s.Current != "" || len(s.All) != 0 {
		t.Errorf("something is left: %+v", s)
	}
}

func FuzzServers(f *testing.F) {
	good, err := serversAt("https://a.example.com/library-server", "http://localhost:9091").format()
	if err != nil {
		f.Fatal(err)
	}
	f.Add(good)
	f.Add([]byte(`{"version":1,"current":"http://a","servers":[{"address":"http://a"}]}`))
	f.Add([]byte(`{"version":1,"servers":null}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		s, err := parseServers(data)
		if err != nil {
			return
		}
		again, err := s.format()
		testkit.NoError(t, err)
		if _, err := parseServers(again); err != nil {
			t.Fatalf("what was read cannot be read again: %v\n%s", err, again)
		}
		for _, server := range s.All {
			if got, err := s.Find(server.Address); err != nil || got.Address != server.Address {
				t.Fatalf("%q is not found: %v", server.Address, err)
			}
			if got, err := s.Find(s.Name(server.Address)); err != nil || got.Address != server.Address {
				t.Fatalf("%q is not found by its name %q: %v", server.Address, s.Name(server.Address), err)
			}
		}
	})
}

func FuzzTokens(f *testing.F) {
	f.Add([]byte(`{"version":1,"tokens":{"http://a":{"issuer":"http://i","clientId":"c","token":{"access":"a","expiry":"2026-01-02T03:04:05Z"}}}}`))
	f.Add([]byte(`{"version":1,"tokens":null}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		all, err := parseTokens(data)
		if err == nil {
			for _, s := range all {
				_ = s.belongTo(aServer("http://a"))
			}
		}
		if err != nil && len(err.Error()) > 300 {
			t.Errorf("the error quotes the file: %v", err)
		}
		_, _ = unmarshalSecrets(string(data))
	})
}
