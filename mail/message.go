package mail

import (
	"bytes"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"mime/quotedprintable"
	netmail "net/mail"
	"strings"
	"time"
	"unicode/utf8"

	"example.org/library/internal/plaintext"
)

// lineLength is the limit for a line of a header with encoded words (RFC 2047).
const lineLength = 76

// Bytes returns the mail as it is sent, with CRLF at the end of lines.
func (m Mail) Bytes() []byte {
	var b bytes.Buffer
	line := func(name, value string) {
		if value != "" {
			b.WriteString(fold(name + ": " + value))
			b.WriteString("\r\n")
		}
	}
	line("Date", m.Date.Format(time.RFC1123Z))
	line("From", headerAddress(m.From))
	line("To", headerAddress(m.To))
	line("Subject", encoded(m.Subject, len("Subject: ")))
	line("Message-ID", bracketed(m.ID))
	line("Auto-Submitted", "auto-generated")
	line("List-Id", listID(m.ListName, m.ListID))
	line("List-Unsubscribe", bracketed(m.Unsubscribe))
	line("MIME-Version", "1.0")
	boundary := m.boundary()
	line("Content-Type", `multipart/alternative; boundary="`+boundary+`"`)
	writePart(&b, boundary, "text/plain", m.Text)
	writePart(&b, boundary, "text/html", m.HTML)
	b.WriteString("\r\n--" + boundary + "--\r\n")
	return b.Bytes()
}

// boundary returns a text that cannot be in the parts: quoted-printable has no "=_".
func (m Mail) boundary() string {
	sum := sha256.Sum256([]byte(m.ID))
	return "=_" + hex.EncodeToString(sum[:12])
}

func writePart(b *bytes.Buffer, boundary, mediaType, content string) {
	b.WriteString("\r\n--" + boundary + "\r\nContent-Type: " + mediaType + "; charset=utf-8\r\nContent-Transfer-Encoding: quoted-printable\r\n\r\n")
	w := quotedprintable.NewWriter(b) // writes into memory and cannot fail
	_, _ = w.Write([]byte(strings.ReplaceAll(lines(content), "\n", "\r\n")))
	_ = w.Close()
}

// lines returns a text with \n alone at the end of lines, without the control characters no mail has.
func lines(s string) string {
	s = strings.ReplaceAll(strings.ReplaceAll(strings.ToValidUTF8(s, "�"), "\r\n", "\n"), "\r", "\n")
	return strings.Map(func(r rune) rune {
		if plaintext.IsControl(r) && r != '\n' && r != '\t' {
			return -1
		}
		return r
	}, s)
}

// encoded returns a text as encoded words (RFC 2047) if it needs them, each short enough for a line. The first word
// begins after the given number of characters.
func encoded(s string, after int) string {
	s = plaintext.OneLine(s)
	if isPlain(s) {
		return s
	}
	var words []string
	for s != "" {
		n := 0
		for n < len(s) {
			_, size := utf8.DecodeRuneInString(s[n:])
			if n > 0 && after+len(word(""))+base64.StdEncoding.EncodedLen(n+size) > lineLength {
				break
			}
			n += size
		}
		words, s, after = append(words, word(s[:n])), s[n:], 1
	}
	return strings.Join(words, " ")
}

func word(s string) string {
	return "=?utf-8?b?" + base64.StdEncoding.EncodeToString([]byte(s)) + "?="
}

// isPlain reports whether a text can stand in a header as it is, and can be folded.
func isPlain(s string) bool {
	for w := range strings.SplitSeq(s, " ") {
		if len(w) > lineLength-len("Subject: ") {
			return false
		}
	}
	return isASCII(s) && !strings.Contains(s, "=?")
}

func isASCII(s string) bool {
	return !strings.ContainsFunc(s, func(r rune) bool { return r >= utf8.RuneSelf })
}

// fold breaks a header at its spaces into lines short enough for every program.
func fold(s string) string {
	var b strings.Builder
	length := 0
	for i, w := range strings.Split(s, " ") {
		switch {
		case i == 0:
		case length+1+len(w) > lineLength && length > 0 && i > 1:
			b.WriteString("\r\n ")
			length = 1
		default:
			b.WriteByte(' ')
			length++
		}
		b.WriteString(w)
		length += len(w)
	}
	return b.String()
}

// headerAddress returns an address for a header. An address beyond ASCII stays as it is, and so needs SMTPUTF8.
func headerAddress(a netmail.Address) string {
	return phrase(a.Name) + "<" + noSpace(a.Address) + ">"
}

// phrase returns a name to put before angle brackets, and the space between them.
func phrase(name string) string {
	name = plaintext.OneLine(name)
	switch {
	case name == "":
		return ""
	case isPlain(name):
		return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(name) + `" `
	}
	return encoded(name, len("List-Id: ")) + " "
}

func listID(name, id string) string {
	if id == "" {
		return ""
	}
	return phrase(name) + bracketed(id)
}

func bracketed(s string) string {
	if s = noSpace(s); s == "" {
		return ""
	}
	return "<" + s + ">"
}

// noSpace removes any characters that would end the address, or the header.
func noSpace(s string) string {
	return strings.Map(func(r rune) rune {
		if plaintext.IsControl(r) || r == ' ' || r == '<' || r == '>' {
			return -1
		}
		return r
	}, strings.ToValidUTF8(s, ""))
}
