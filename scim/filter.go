package scim

import (
	"encoding/json"
	"strings"
)

// Limits of filters.
const (
	maxFilter = 4 << 10 // bytes
	maxDepth  = 50      // brackets
)

// Filter is a condition for resources.
type Filter interface {
	// Matches reports whether a resource, or a value of an attribute, fulfils the condition.
	Matches(values map[string]any) bool
}

// ParseFilter reads a filter.
func (t *Type) ParseFilter(filter string) (Filter, error) {
	if len(filter) > maxFilter {
		return nil, refuse(InvalidFilter, "The filter is longer than %d bytes.", maxFilter)
	}
	p := &parser{rest: filter, in: t, of: t.attributes}
	f, ok := p.or()
	if !ok || p.skip() != "" {
		return nil, refuse(InvalidFilter, "The filter cannot be read from %q on.", firstOf(p.rest))
	}
	return f, nil
}

func firstOf(text string) string {
	if len(text) > 40 {
		text = text[:40]
	}
	return strings.ToValidUTF8(text, "")
}

// parser reads filters and paths. Its methods return false at what cannot be read.
type parser struct {
	rest  string
	in    *Type
	of    []attribute // that names are of
	depth int
}

func (p *parser) skip() string {
	p.rest = strings.TrimLeft(p.rest, " ")
	return p.rest
}

// symbol reads one character.
func (p *parser) symbol(c byte) bool {
	if p.skip() == "" || p.rest[0] != c {
		return false
	}
	p.rest = p.rest[1:]
	return true
}

// word reads a name or an operator.
func (p *parser) word() string {
	p.skip()
	end := 0
	for end < len(p.rest) && inWord(p.rest[end]) {
		end++
	}
	word := p.rest[:end]
	p.rest = p.rest[end:]
	return word
}

func inWord(c byte) bool {
	return 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || '0' <= c && c <= '9' || strings.IndexByte("_-$:.", c) >= 0
}

// keyword reads a word if it is the next one.
func (p *parser) keyword(word string) bool {
	before := p.rest
	if strings.EqualFold(p.word(), word) {
		return true
	}
	p.rest = before
	return false
}

func (p *parser) or() (Filter, bool) {
	left, ok := p.and()
	for ok && p.keyword("or") {
		var right Filter
		right, ok = p.and()
		left = either{left, right}
	}
	return left, ok
}

func (p *parser) and() (Filter, bool) {
	left, ok := p.term()
	for ok && p.keyword("and") {
		var right Filter
		right, ok = p.term()
		left = both{left, right}
	}
	return left, ok
}

func (p *parser) term() (Filter, bool) {
	before := p.rest
	if p.keyword("not") {
		if p.skip() != "" && p.rest[0] == '(' {
			f, ok := p.inBrackets(')')
			return negated{f}, ok
		}
		p.rest = before
	}
	if p.skip() != "" && p.rest[0] == '(' {
		return p.inBrackets(')')
	}
	return p.comparison()
}

// inBrackets reads a bracket, a filter and the closing bracket.
func (p *parser) inBrackets(end byte) (Filter, bool) {
	p.rest = p.rest[1:]
	if p.depth++; p.depth > maxDepth {
		return nil, false
	}
	defer func() { p.depth-- }()
	f, ok := p.or()
	return f, ok && p.symbol(end)
}

// name reads the name of an attribute. Its attributes are nil if it is not kept.
func (p *parser) name() (main, sub *attribute, ok bool) {
	word := p.word()
	if word == "" || !isLetter(word[0]) && word[0] != '$' || strings.HasSuffix(word, ".") || strings.HasSuffix(word, ":") {
		return nil, nil, false
	}
	local, known := p.in.localName(word)
	if !known {
		return nil, nil, true
	}
	first, second, hasSub := strings.Cut(local, ".")
	if first == "" || strings.Contains(second, ".") || strings.Contains(local, ":") {
		return nil, nil, false
	}
	if main = find(p.of, first); main == nil || !hasSub {
		return main, nil, true
	}
	if sub = main.sub(second); sub == nil {
		return nil, nil, true
	}
	return main, sub, true
}

func isLetter(c byte) bool { return 'a' <= c|0x20 && c|0x20 <= 'z' }

func (p *parser) comparison() (Filter, bool) {
	main, sub, ok := p.name()
	if !ok {
		return nil, false
	}
	if p.skip() != "" && p.rest[0] == '[' {
		outside := p.of
		p.of = nil
		if main != nil {
			p.of = main.subs
		}
		f, ok := p.inBrackets(']')
		p.of = outside
		return within{main, f}, ok && sub == nil
	}
	c := compared{main: main, sub: sub, op: strings.ToLower(p.word())}
	if main != nil && main.multi && sub == nil {
		c.sub = main.sub("value")
	}
	switch c.op {
	case "pr":
		return c, true
	case "eq", "ne", "co", "sw", "ew", "gt", "ge", "lt", "le":
	default:
		return nil, false
	}
	if c.value, ok = p.value(); !ok {
		return nil, false
	}
	last := c.last()
	isOrder := c.op == "gt" || c.op == "ge" || c.op == "lt" || c.op == "le"
	return c, last == nil || last.kind != boolean || !isOrder
}

// value reads a value: a string, a number, a boolean or null in JSON.
func (p *parser) value() (any, bool) {
	p.skip()
	d := json.NewDecoder(strings.NewReader(p.rest))
	t, err := d.Token()
	if _, isDelim := t.(json.Delim); err != nil || isDelim {
		return nil, false
	}
	p.rest = p.rest[d.InputOffset():]
	return t, p.rest == "" || strings.IndexByte(" )]", p.rest[0]) >= 0
}

// Key returns the attribute and the value if only resources with this value can match: a store finds them
// without going through all.
func Key(f Filter) (name, value string, ok bool) {
	switch f := f.(type) {
	case both:
		if name, value, ok = Key(f.left); ok {
			return name, value, true
		}
		return Key(f.right)
	case compared:
		text, isText := f.value.(string)
		if f.op != "eq" || f.main == nil || f.sub != nil || !isText {
			return "", "", false
		}
		switch f.main.name {
		case "id", "userName", "externalId":
			return f.main.name, text, true
		}
	}
	return "", "", false
}
