package marc

import (
	_ "embed"
	"strconv"
	"strings"
	"sync"
	"unicode"
)

// The sets at the beginning of a text, and the set with three bytes for each character.
const (
	basicLatin    = 'B'
	extendedLatin = 'E' // ANSEL
	eastAsian     = '1' // EACC

	escape = 0x1B
)

//go:embed marc8.txt
var marc8Table string

// marc8Sets returns the characters of the sets, by their codes of seven bits a byte.
var marc8Sets = sync.OnceValue(func() map[byte]map[uint32]rune {
	sets := map[byte]map[uint32]rune{}
	for line := range strings.Lines(marc8Table) {
		line = strings.TrimSuffix(line, "\n")
		first, characters, _ := strings.Cut(line[2:], " ")
		code, err := strconv.ParseUint(first, 16, 32)
		if err != nil {
			panic(err)
		}
		set := sets[line[0]]
		if set == nil {
			set = map[uint32]rune{}
			sets[line[0]] = set
		}
		for _, r := range characters {
			set[uint32(code)] = r
			code++
		}
	}
	return sets
})

// marc8 decodes a text. Codes below 0x80 are of the set g0, higher ones of g1.
type marc8 struct {
	in       []byte
	g0, g1   byte
	out      strings.Builder
	marks    []rune // of the next letter
	replaced bool
}

// decodeMARC8 converts a text from MARC-8 to Unicode. It moves marks, such as accents, from
// before their letter to behind it. It reports whether it has replaced unreadable characters.
func decodeMARC8(raw []byte) (text string, replaced bool) {
	if isASCII(raw) {
		return string(raw), false
	}
	m := marc8{in: raw, g0: basicLatin, g1: extendedLatin}
	for len(m.in) > 0 {
		switch c := m.in[0]; {
		case c == escape:
			m.escape()
		case c <= ' ', c == 0x7F && m.g0 != eastAsian:
			m.put(rune(c), 1)
		case 0x80 <= c && c <= 0xA0:
			m.control(c)
		case c < 0x80:
			m.character(m.g0)
		default:
			m.character(m.g1)
		}
	}
	m.flush()
	return m.out.String(), m.replaced
}

func isASCII(raw []byte) bool {
	for _, c := range raw {
		if c >= 0x80 || c == escape {
			return false
		}
	}
	return true
}

// escape reads an escape sequence, and chooses the set for the text after it. If the sequence is none, or is cut off, a
// replacement character takes the place of its escape, and the rest is read as text.
func (m *marc8) escape() {
	rest := m.in[1:]
	into := &m.g0
	if len(rest) > 0 && strings.IndexByte("gbps", rest[0]) >= 0 {
		m.in = rest[1:]
		if m.g0 = rest[0]; m.g0 == 's' {
			m.g0 = basicLatin
		}
		return
	}
	begun := len(rest)
	if len(rest) > 0 && rest[0] == '$' {
		rest = rest[1:]
	}
	switch {
	case len(rest) > 0 && strings.IndexByte("(,", rest[0]) >= 0:
		rest = rest[1:]
	case len(rest) > 0 && strings.IndexByte(")-", rest[0]) >= 0:
		into, rest = &m.g1, rest[1:]
	}
	if len(rest) > 0 && rest[0] == '!' { // of extended Latin
		rest = rest[1:]
	}
	if len(rest) == 0 || len(rest) == begun {
		m.in, m.replaced = m.in[1:], true
		m.out.WriteString(replacement)
		return
	}
	*into, m.in = rest[0], rest[1:]
}

// control reads a control code. It keeps joiners, and drops the marks around words to ignore
// in sorting. Any other code is unknown.
func (m *marc8) control(c byte) {
	switch c {
	case 0x88, 0x89:
		m.in = m.in[1:]
	case 0x8D:
		m.put('\u200D', 1)
	case 0x8E:
		m.put('\u200C', 1)
	default:
		m.unknown(1)
	}
}

// character reads one character of a set.
func (m *marc8) character(name byte) {
	size := 1
	if name == eastAsian {
		size = 3
	}
	if len(m.in) < size {
		m.unknown(len(m.in))
		return
	}
	var code uint32
	isCut := false // a blank stands where a character should go on
	for _, c := range m.in[:size] {
		code = code<<8 | uint32(c&0x7F)
		isCut = isCut || c <= ' '
	}
	r, known := marc8Sets()[name][code]
	switch {
	case !known && isCut:
		m.unknown(1)
	case !known:
		m.unknown(size)
	case unicode.Is(unicode.Mn, r) && r != '\u0670':
		m.marks = append(m.marks, r)
		m.in = m.in[size:]
	default:
		m.put(r, size)
	}
}

// put writes a character, read from some bytes, and its marks.
func (m *marc8) put(r rune, size int) {
	m.in = m.in[size:]
	m.out.WriteRune(r)
	m.flush()
}

func (m *marc8) unknown(size int) {
	m.replaced = true
	m.put(unicode.ReplacementChar, size)
}

func (m *marc8) flush() {
	for _, mark := range m.marks {
		m.out.WriteRune(mark)
	}
	m.marks = m.marks[:0]
}
