package marc

import (
	"bytes"
	"io"
	"regexp"
	"strings"

	"golang.org/x/text/encoding/charmap"
)

// xmlCutter cuts a file into its record elements, in any namespace, before anything is parsed. So a malformed record is
// the only one lost, responses of SRU servers are read as well, and the text around records is never interpreted.
type xmlCutter struct {
	in      *source
	partial bool
	latin   bool // the file declares ISO 8859-1

	record  []byte // as far as it was read
	inside  bool
	content bool // the record has a field: if another record begins in it, its end is missing
	empty   bool // the record is <record/>, and has not been returned
}

// markup is text beginning with "<".
type markup struct {
	name       string // of an element, without its prefix
	text       []byte
	end, empty bool // </name>, <name/>
}

// next returns the next record. It is valid until the next call.
func (c *xmlCutter) next() ([]byte, error) {
	if c.empty {
		return c.whole()
	}
	for {
		if err := c.text(); err != nil {
			return c.ended(err)
		}
		at := c.in.read - 1
		m, err := c.markup()
		if err != nil {
			return c.ended(err)
		}
		switch {
		case m.name == "record" && !m.end:
			lost := c.inside && c.content
			c.record = append(c.record[:0], m.text...)
			c.inside, c.content, c.empty = !m.empty, false, m.empty
			if lost {
				c.in.done = at
				return nil, errNoEnd
			}
			if c.empty {
				return c.whole()
			}
		case len(m.text) > MaxRecord, c.inside && len(c.record)+len(m.text) > MaxRecord:
			c.inside, c.in.done = false, c.in.read
			return nil, errTooLong
		case !c.inside:
			c.declared(m)
		default:
			c.record = append(c.record, m.text...)
			c.content = c.content || m.name == "leader" || strings.HasSuffix(m.name, "field")
			if m.name == "record" {
				return c.whole()
			}
		}
	}
}

// whole returns the record after reading it to its end.
func (c *xmlCutter) whole() ([]byte, error) {
	c.inside, c.empty, c.in.done = false, false, c.in.read
	return c.record, nil
}

// ended returns the outcome of next at the end of the file or after a reading error.
func (c *xmlCutter) ended(err error) ([]byte, error) {
	if err == io.EOF && c.inside && !c.partial {
		c.inside, c.in.done = false, c.in.read
		return nil, errNoEnd
	}
	return nil, err
}

// latinNames has the names of ISO 8859-1 in files, and of its extension Windows-1252, which is read in its place.
const latinNames = `iso-?8859-1|latin-?1|windows-1252`

var (
	latinName     = regexp.MustCompile(`(?i)^(` + latinNames + `|us-ascii)$`)
	latinDeclared = regexp.MustCompile(`(?i)^<\?xml[^>]*encoding\s*=\s*["'](` + latinNames + `)["']`)
)

// CharsetReader converts XML to UTF-8 from one of the other charsets that a file of records
// may have. It is for an [encoding/xml.Decoder].
func CharsetReader(charset string, in io.Reader) (io.Reader, error) {
	if !latinName.MatchString(charset) {
		return nil, errNotXML
	}
	return charmap.Windows1252.NewDecoder().Reader(in), nil
}

// declared notes the charset if markup before the records declares it.
func (c *xmlCutter) declared(m markup) {
	if !c.latin && latinDeclared.Match(m.text) {
		c.latin, c.in.heading = true, c.in.read
	}
}

// text reads up to and with the next "<".
func (c *xmlCutter) text() error {
	for {
		b, err := c.in.next()
		if err != nil {
			return err
		}
		if b == '<' {
			return nil
		}
		if c.inside && len(c.record) <= MaxRecord {
			c.record = append(c.record, b)
		}
	}
}

// markup reads the rest of markup after its "<". It looks for the end of markup even if it is too long to keep. A tag
// ends before another "<", as it cannot contain one: if a quotation mark is missing, no more is lost than the record.
func (c *xmlCutter) markup() (m markup, err error) {
	m.text = append(make([]byte, 0, 64), '<')
	var quote byte
	nested := 0 // brackets of a document type
	for {
		b, err := c.in.next()
		if err != nil {
			return m, err
		}
		if b == '<' && !isDeclaration(m.text) {
			m.name, m.end, m.empty = elementOf(m.text)
			return m, c.in.back()
		}
		if len(m.text) <= MaxRecord {
			m.text = append(m.text, b)
		}
		switch kind := kindOf(m.text); {
		case kind.closing != "":
			if b == '>' && bytes.HasSuffix(m.text, []byte(kind.closing)) && len(m.text) >= len(kind.opening)+len(kind.closing) || len(m.text) > MaxRecord && b == '>' {
				return m, nil
			}
		case quote != 0:
			if b == quote {
				quote = 0
			}
		case b == '"' || b == '\'':
			quote = b
		case b == '[':
			nested++
		case b == ']':
			nested--
		case b == '>' && nested <= 0:
			m.name, m.end, m.empty = elementOf(m.text)
			return m, nil
		}
	}
}

// literal is markup with an end of its own. Quotation marks and brackets in it do not count.
type literal struct{ opening, closing string }

var literals = []literal{{"<!--", "-->"}, {"<![CDATA[", "]]>"}, {"<?", "?>"}}

func kindOf(text []byte) literal {
	if isDeclaration(text) {
		for _, l := range literals {
			if bytes.HasPrefix(text, []byte(l.opening)) {
				return l
			}
		}
	}
	return literal{}
}

// isDeclaration reports whether markup is not the tag of an element, and may have a "<" in it.
func isDeclaration(text []byte) bool {
	return len(text) > 1 && (text[1] == '!' || text[1] == '?')
}

// elementOf returns the name of a tag's element without its prefix. It reports whether the tag is </name> or <name/>.
func elementOf(tag []byte) (name string, end, empty bool) {
	body := bytes.TrimSuffix(bytes.TrimPrefix(tag, []byte("<")), []byte(">"))
	body, end = bytes.CutPrefix(body, []byte("/"))
	body, empty = bytes.CutSuffix(body, []byte("/"))
	if i := bytes.IndexAny(body, " \t\r\n"); i >= 0 {
		body = body[:i]
	}
	if i := bytes.IndexByte(body, ':'); i >= 0 {
		body = body[i+1:]
	}
	return string(body), end, empty
}
