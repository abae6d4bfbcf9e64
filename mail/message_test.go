package mail

import (
	"bytes"
	"errors"
	"io"
	"mime"
	"mime/multipart"
	"mime/quotedprintable"
	netmail "net/mail"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf8"

	"example.org/library/internal/plaintext"
)

// strictly reads a mail as the standards have it, and fails for anything else.
func strictly(t testing.TB, raw []byte) (header netmail.Header, text, html string) {
	t.Helper()
	for line := range bytes.SplitSeq(raw, []byte("\r\n")) {
		if len(line) > 78 && !bytes.HasPrefix(line, []byte("List-Unsubscribe:")) && !bytes.Contains(line, []byte("@")) || len(line) > 998 {
			t.Errorf("a line of %d bytes: %q", len(line), line)
		}
		if bytes.ContainsAny(line, "\r\n\x00") {
			t.Errorf("a line that does not end: %q", line)
		}
	}
	m, err := netmail.ReadMessage(bytes.NewReader(raw))
	if err != nil {
		t.Fatal(err)
	}
	mediaType, parameters, err := mime.ParseMediaType(m.Header.Get("Content-Type"))
	if err != nil || mediaType != "multipart/alternative" {
		t.Fatalf("got %s, %v", mediaType, err)
	}
	parts := multipart.NewReader(m.Body, parameters["boundary"])
	read := func(want string) string {
		p, err := parts.NextRawPart()
		if err != nil || p.Header.Get("Content-Type") != want+"; charset=utf-8" || p.Header.Get("Content-Transfer-Encoding") != "quoted-printable" {
			t.Fatalf("got %v, %v, want %s", p, err, want)
		}
		content, err := io.ReadAll(quotedprintable.NewReader(p))
		if err != nil || !utf8.Valid(content) {
			t.Fatalf("%s: %v", want, err)
		}
		return strings.ReplaceAll(string(content), "\r\n", "\n")
	}
	text, html = read("text/plain"), read("text/html")
	if _, err := parts.NextRawPart(); !errors.Is(err, io.EOF) {
		t.Errorf("after the parts: %v", err)
	}
	return m.Header, text, html
}

func decoded(t testing.TB, header string) string {
	t.Helper()
	s, err := new(mime.WordDecoder).DecodeHeader(header)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// hostile are texts of strangers.
var hostile = map[string]string{
	"plain":            "Homo faber",
	"quotes":           `He said "no" \ and left`,
	"umlauts":          "Die Blechtrommel für Mädchen und Jungen, größer als je zuvor und noch viel länger",
	"Chinese":          strings.Repeat("红楼梦", 30),
	"Arabic":           "ألف ليلة وليلة\u202e",
	"emoji":            strings.Repeat("👩‍👩‍👧‍👦", 20),
	"255 characters":   strings.Repeat("a", 255),
	"1000 characters":  strings.Repeat("ab ", 333),
	"line breaks":      "Homo\r\nBcc: everybody@example.org\r\n\r\nfaber",
	"half line breaks": "a\rb\nc\x00d\u0085e",
	"a script":         "<script>alert(1)</script>",
	"encoded already":  "=?utf-8?q?Bcc:_?=",
	"not UTF-8":        "Homo \xff\xfe faber",
	"dots":             "\n.\n..\n.\r\nQUIT\r\n",
	"nothing":          "",
}

func TestAMailIsGoodWhateverStrangersWrite(t *testing.T) {
	t.Parallel()
	for name, s := range hostile {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			m := aMail()
			m.Subject, m.From.Name, m.To.Name, m.ListName, m.Text, m.HTML = s, s, s, s, s, s
			m.ListID, m.Unsubscribe = "notices.example.org", "https://library.example.org/account"
			checkStrict(t, m)
		})
	}
}

// checkStrict compares a mail with what a strict reader finds in it.
func checkStrict(t testing.TB, m Mail) {
	t.Helper()
	header, text, html := strictly(t, m.Bytes())
	if want := 9 + min(1, len(plaintext.OneLine(m.Subject))); len(header) != want {
		t.Errorf("there are other headers: %v", header)
	}
	if got := decoded(t, header.Get("Subject")); got != plaintext.OneLine(m.Subject) {
		t.Errorf("the subject is %q, want %q", got, plaintext.OneLine(m.Subject))
	}
	for name, want := range map[string]netmail.Address{"From": m.From, "To": m.To} {
		got, err := header.AddressList(name)
		if err != nil || len(got) != 1 || got[0].Name != plaintext.OneLine(want.Name) || got[0].Address != want.Address {
			t.Errorf("%s is %v, %v, want %v", name, got, err, want)
		}
	}
	if text != lines(m.Text) || html != lines(m.HTML) {
		t.Errorf("got %q and %q", text, html)
	}
}

func TestAMailHasTheHeadersOfNotices(t *testing.T) {
	t.Parallel()
	m := aMail()
	m.ListID, m.ListName, m.Unsubscribe = "notices.example.org", "Public Library", "https://library.example.org/account"
	header, _, _ := strictly(t, m.Bytes())
	for name, want := range map[string]string{
		"Date": "Tue, 17 Nov 2026 08:00:00 +0000", "From": `"Public Library" <library@example.org>`, "To": `"Anna" <anna@example.org>`,
		"Subject": "Due on Friday: Homo faber", "Message-Id": "<1@library.example.org>", "Auto-Submitted": "auto-generated",
		"List-Id": `"Public Library" <notices.example.org>`, "List-Unsubscribe": "<https://library.example.org/account>", "Mime-Version": "1.0",
	} {
		if got := header.Get(name); got != want {
			t.Errorf("%s is %q, want %q", name, got, want)
		}
	}
	if m.Unsubscribe = ""; bytes.Contains(m.Bytes(), []byte("Unsubscribe")) {
		t.Error("there is an address to unsubscribe where none is known")
	}
	if !bytes.Equal(m.Bytes(), m.Bytes()) {
		t.Error("a mail is another one at the next attempt")
	}
}

func FuzzAMailIsStrictlyReadable(f *testing.F) {
	for _, s := range hostile {
		f.Add(s, s)
	}
	f.Fuzz(func(t *testing.T, s, content string) {
		m := aMail()
		m.Subject, m.From.Name, m.To.Name, m.Text, m.HTML = s, s, s, content, content
		m.ListID, m.Unsubscribe = "notices.example.org", "https://library.example.org/account"
		checkStrict(t, m)
	})
}

func TestAMaildirHasWholeMailsInNew(t *testing.T) {
	t.Parallel()
	folder := filepath.Join(t.TempDir(), "not", "there")
	c := carrierOf(t, "maildir:"+folder)
	for range 3 {
		if err := sendTo(t, c, aMail()); err != nil {
			t.Fatal(err)
		}
	}
	files, _ := filepath.Glob(filepath.Join(folder, "new", "*"))
	rest, _ := filepath.Glob(filepath.Join(folder, "tmp", "*"))
	if len(files) != 3 || len(rest) != 0 || c.Folder() != folder {
		t.Fatalf("got %v, and in tmp %v", files, rest)
	}
	raw, err := os.ReadFile(files[0])
	if err != nil {
		t.Fatal(err)
	}
	if _, text, _ := strictly(t, bytes.ReplaceAll(raw, []byte("\n"), []byte("\r\n"))); text != aMail().Text {
		t.Errorf("got %q", text)
	}
	if _, err := os.Stat(filepath.Join(folder, "cur")); err != nil {
		t.Error(err)
	}
}

func TestAMaildirThatCannotBeWrittenIsAFailure(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	c := carrierOf(t, "maildir:"+filepath.Join(folder, "box"))
	if err := os.WriteFile(filepath.Join(folder, "box"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if got := failureOf(t, sendTo(t, c, aMail())); got.Stage != Connect || got.Final {
		t.Errorf("got %+v", got)
	}
}
