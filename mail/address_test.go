package mail

import (
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestTheAddressOfACarrier(t *testing.T) {
	t.Parallel()
	for address, want := range map[string]Carrier{
		"smtp://mail.example.org":                    {host: "mail.example.org", port: "587"},
		"smtp://mail.example.org:25":                 {host: "mail.example.org", port: "25"},
		"smtp://anna@mail.example.org:2525/":         {host: "mail.example.org", port: "2525", user: "anna"},
		"smtp://anna@example.org@mail.example.org":   {host: "mail.example.org", port: "587", user: "anna@example.org"},
		"smtp://anna%40example.org@mail.example.org": {host: "mail.example.org", port: "587", user: "anna@example.org"},
		"smtp://mail.example.org?tls=off":            {host: "mail.example.org", port: "587", tls: tlsOff},
		"smtp://localhost:1025":                      {host: "localhost", port: "1025", tls: tlsIfOffered},
		"smtp://127.8.9.10":                          {host: "127.8.9.10", port: "587", tls: tlsIfOffered},
		"smtp://[::1]:25":                            {host: "::1", port: "25", tls: tlsIfOffered},
		"smtp://[::ffff:127.0.0.1]:25":               {host: "::ffff:127.0.0.1", port: "25", tls: tlsIfOffered},
		"smtp://localhost.example.org":               {host: "localhost.example.org", port: "587"},
		"smtp://192.0.2.1":                           {host: "192.0.2.1", port: "587"},
		"smtps://anna@mail.example.org":              {host: "mail.example.org", port: "465", user: "anna", tls: tlsAtOnce},
		"smtps://127.0.0.1":                          {host: "127.0.0.1", port: "465", tls: tlsAtOnce},
		"maildir:mails":                              {folder: "mails"},
		"maildir:/var/spool/library?x=/#é":           {folder: "/var/spool/library?x=/#é"},
	} {
		want.limits = usualLimits
		if got, err := Parse(address); err != nil || *got != want {
			t.Errorf("%s: got %+v, %v, want %+v", address, got, err, want)
		}
	}
}

func TestThisMachineIsKnownByItsNameAndItsAddresses(t *testing.T) {
	t.Parallel()
	if own, err := os.Hostname(); err != nil || !isThisMachine(own) || !isThisMachine(strings.ToUpper(own)) {
		t.Errorf("%q is this machine (%v)", own, err)
	}
	own, err := net.InterfaceAddrs()
	if err != nil {
		t.Fatal(err)
	}
	for _, a := range own {
		if ip := a.(*net.IPNet).IP.String(); !isThisMachine(ip) {
			t.Errorf("%s is an address of this machine", ip)
		}
	}
}

// wrong are addresses of no carrier, and a word of what is said about each.
var wrong = map[string]string{
	"":                                         "must be",
	"mail.example.org":                         "must be",
	"mail.example.org:25":                      "must be",
	"http://mail.example.org":                  "must be",
	"SMTP:mail.example.org":                    "must be",
	"smtp://":                                  "must be",
	"smtp://:25":                               "must be",
	"smtp://a b":                               "must be",
	"smtp://mail.example.org/inbox":            "after the host",
	"smtp://mail.example.org#a":                "after the host",
	"smtp://anna:geheim@mail.example.org":      "password",
	"smtp://anna:@mail.example.org":            "password",
	"smtp://@mail.example.org":                 "no user",
	"smtp://a%00@mail.example.org":             "no user",
	"smtp://mail.example.org:":                 "port",
	"smtp://mail.example.org:0":                "port",
	"smtp://mail.example.org:65536":            "port",
	"smtp://mail.example.org?tls=on":           "tls=off",
	"smtp://mail.example.org?tls=off&x=geheim": "tls=off",
	"smtps://mail.example.org?tls=off":         "smtps",
	"maildir:":                                 "folder",
}

func TestWhatIsWrongWithAnAddressIsSaidWithoutRepeatingIt(t *testing.T) {
	t.Parallel()
	for address, want := range wrong {
		if _, err := Parse(address); err == nil || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "geheim") {
			t.Errorf("%q: got %v, want %q", address, err, want)
		}
	}
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := Parse("maildir:" + file); err == nil || !strings.Contains(err.Error(), "not a folder") {
		t.Errorf("got %v", err)
	}
}

func FuzzParse(f *testing.F) {
	for address := range wrong {
		f.Add(address)
	}
	f.Add("smtp://anna@example.org@[::1]:25?tls=off")
	f.Fuzz(func(t *testing.T, address string) {
		c, err := Parse(address)
		if err != nil {
			return
		}
		if c.folder == "" && (c.host == "" || c.port == "" || strings.ContainsAny(c.host+c.port+c.user, "\r\n\x00")) {
			t.Errorf("%q: %+v", address, c)
		}
	})
}

func FuzzReply(f *testing.F) {
	f.Add("250-a\r\n250 b\r\n")
	f.Add("250")
	f.Add("999 a\n")
	f.Fuzz(func(t *testing.T, answer string) {
		client, server := net.Pipe()
		go func() { _, _ = server.Write([]byte(answer)); _ = server.Close() }()
		code, lines, err := newDialogue(client, 0).reply()
		_ = client.Close()
		if err == nil && (code < 200 || code > 599 || len(lines) == 0 || len(lines) > maxReplyLines) {
			t.Errorf("%q: %d, %q", answer, code, lines)
		}
	})
}
