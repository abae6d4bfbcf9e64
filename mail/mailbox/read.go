package mailbox

import (
	"errors"
	"io"
	"io/fs"
	"mime"
	"mime/multipart"
	netmail "net/mail"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// maxListed is how many mails are listed, the newest first.
const maxListed = 200

// box is the folder of a maildir.
type box string

// letter is a mail as it is shown. In a list it has no text.
type letter struct {
	Name              string // of its file
	From, To, Subject string
	Date              time.Time
	Text, HTML        string
}

// list returns the newest mails. One that cannot be read is left out: it is not ours.
func (b box) list() ([]letter, error) {
	names, err := b.names()
	if err != nil {
		return nil, err
	}
	var mails []letter
	for _, name := range names[:min(len(names), maxListed)] {
		if m, err := b.read(name); err == nil {
			m.Text, m.HTML = "", ""
			mails = append(mails, m)
		}
	}
	return mails, nil
}

// names returns the files, the newest first: a name begins with the time. A mail program moves what was read to cur.
func (b box) names() (names []string, err error) {
	for _, folder := range []string{"new", "cur"} {
		entries, err := os.ReadDir(filepath.Join(string(b), folder))
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return nil, err
		}
		for _, e := range entries {
			names = append(names, e.Name())
		}
	}
	slices.SortFunc(names, func(x, y string) int { return strings.Compare(y, x) })
	return names, nil
}

func (b box) read(name string) (letter, error) {
	names, err := b.names()
	if err != nil || !slices.Contains(names, name) {
		return letter{}, errors.Join(err, fs.ErrNotExist)
	}
	f, err := os.Open(filepath.Join(string(b), "new", name))
	if errors.Is(err, fs.ErrNotExist) {
		f, err = os.Open(filepath.Join(string(b), "cur", name))
	}
	if err != nil {
		return letter{}, err
	}
	defer f.Close()
	m, err := netmail.ReadMessage(f)
	if err != nil {
		return letter{}, err
	}
	l := letter{Name: name, From: person(m.Header.Get("From")), To: person(m.Header.Get("To")), Subject: decoded(m.Header.Get("Subject"))}
	if l.Date, err = m.Header.Date(); err != nil {
		return letter{}, err
	}
	return l, l.readParts(m)
}

// readParts reads the plain text and the HTML, of which every mail of the library is made.
func (l *letter) readParts(m *netmail.Message) error {
	_, parameters, err := mime.ParseMediaType(m.Header.Get("Content-Type"))
	if err != nil {
		return err
	}
	parts := multipart.NewReader(m.Body, parameters["boundary"])
	for _, into := range []*string{&l.Text, &l.HTML} {
		part, err := parts.NextPart() // which decodes it
		if err != nil {
			return err
		}
		content, err := io.ReadAll(part)
		if err != nil {
			return err
		}
		*into = string(content)
	}
	return nil
}

// decoded is a header in words; one that cannot be decoded is shown as it is.
func decoded(header string) string {
	text, err := new(mime.WordDecoder).DecodeHeader(header)
	if err != nil {
		return header
	}
	return text
}

// person is a name and an address, as mail programs show them.
func person(header string) string {
	a, err := netmail.ParseAddress(header)
	if err != nil {
		return decoded(header)
	}
	return strings.TrimSpace(a.Name + " <" + a.Address + ">")
}
