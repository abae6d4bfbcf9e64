// Package strictjson splits a JSON object into its members and refuses every
// spelling that two readers could understand differently.
//
// encoding/json is forgiving on purpose: the last of two equal members wins, "EXP" matches a field tagged "exp", broken
// UTF-8 becomes U+FFFD. The checker of a document and its user may then see different documents, and checks are
// bypassed. Object accepts one object only, whole, with every name at most once at any depth, and hands out its members
// under the exact names they have.
//
// Start reading at Object. Array is for documents that are many objects.
package strictjson

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"unicode/utf16"
	"unicode/utf8"
)

// MaxDepth is how deep objects and arrays may nest. The outermost object is at depth 1.
const MaxDepth = 64

// Faults of a document, besides a [DuplicateError].
var (
	ErrSyntax    = errors.New("not valid JSON")
	ErrNotObject = errors.New("not a JSON object")
	ErrNotArray  = errors.New("not a JSON array")
	ErrTooMany   = errors.New("JSON array has too many elements")
	ErrTooDeep   = errors.New("JSON is nested too deeply")
)

// DuplicateError means two members of one name in an object.
type DuplicateError struct {
	Name string // unescaped
}

func (e *DuplicateError) Error() string { return fmt.Sprintf("duplicate member %q", e.Name) }

// Object returns the members of the one JSON object that data consists of,
// white space around it aside. The values are parts of data, not copies.
//
// It takes time linear in the length of data.
func Object(data []byte) (map[string]json.RawMessage, error) {
	// Valid checks the grammar, trailing data included, so the walk below need not.
	if !utf8.Valid(data) || !json.Valid(data) {
		return nil, ErrSyntax
	}
	if bytes.TrimLeft(data, white)[0] != '{' {
		return nil, ErrNotObject
	}
	w := walker{data: data, text: string(data), members: map[string]json.RawMessage{}}
	if err := w.walk(); err != nil {
		return nil, err
	}
	return w.members, nil
}

// Array returns the elements of the one JSON array in data, apart from white space around it; more than the limit is an
// error. They are valid JSON, but not checked further: use Object for each.
func Array(data []byte, most int) ([]json.RawMessage, error) {
	if !utf8.Valid(data) || !json.Valid(data) {
		return nil, ErrSyntax
	}
	in := json.NewDecoder(bytes.NewReader(data))
	if begin, err := in.Token(); err != nil || begin != json.Delim('[') {
		return nil, ErrNotArray
	}
	elements := []json.RawMessage{}
	for in.More() {
		var element json.RawMessage
		if err := in.Decode(&element); err != nil {
			return nil, ErrSyntax
		}
		if len(elements) == most {
			return nil, ErrTooMany
		}
		elements = append(elements, element)
	}
	return elements, nil
}

const white = " \t\r\n"

// A walker goes once over a valid document.
type walker struct {
	data    []byte
	text    string // data again: its pieces serve as map keys without copying
	members map[string]json.RawMessage

	open  []names // the objects and arrays around the current position
	name  string  // of the outermost object's current member
	value int     // where that member's value begins
}

// names are the member names of an object so far. It is nil for an array and before the first name.
type names map[string]struct{}

func (w *walker) walk() error {
	for i := 0; i < len(w.text); i++ {
		switch w.text[i] {
		case '{', '[':
			if len(w.open) == MaxDepth {
				return ErrTooDeep
			}
			w.open = append(w.open, nil)
		case '}', ']':
			w.endMember(i)
			w.open = w.open[:len(w.open)-1]
		case ',':
			w.endMember(i)
		case '"':
			end := i + stringEnd(w.text[i:])
			if err := w.stringAt(i, end); err != nil {
				return err
			}
			i = end - 1
		}
	}
	return nil
}

// stringEnd returns the length of the string literal at the beginning of s.
func stringEnd(s string) int {
	i := 1
	for s[i] != '"' {
		if s[i] == '\\' {
			i++
		}
		i++
	}
	return i + 1
}

// stringAt looks at the string literal text[start:end]. It is a member's name
// if a colon follows it; the grammar allows one nowhere else.
func (w *walker) stringAt(start, end int) error {
	literal := w.text[start:end]
	escaped := strings.IndexByte(literal, '\\') >= 0
	if escaped && !surrogatesPaired(literal) {
		return ErrSyntax
	}
	next := end
	for next < len(w.text) && strings.IndexByte(white, w.text[next]) >= 0 {
		next++
	}
	if w.text[next] != ':' { // a string never ends the document: the object closes after it
		return nil
	}
	name := literal[1 : len(literal)-1]
	if escaped {
		if err := json.Unmarshal(w.data[start:end], &name); err != nil {
			return ErrSyntax
		}
	}
	return w.beginMember(name, next+1)
}

func (w *walker) beginMember(name string, value int) error {
	top := len(w.open) - 1
	if _, ok := w.open[top][name]; ok {
		return &DuplicateError{Name: name}
	}
	if w.open[top] == nil {
		w.open[top] = names{}
	}
	w.open[top][name] = struct{}{}
	if top == 0 {
		w.name, w.value = name, value
	}
	return nil
}

// endMember stores a member of the outermost object, completed by a comma or the closing brace at end.
func (w *walker) endMember(end int) {
	if len(w.open) != 1 || w.open[0] == nil {
		return
	}
	w.members[w.name] = bytes.Trim(w.data[w.value:end], white)
}

// surrogatesPaired reports whether each \u escape of half a surrogate pair in the literal stands directly before or
// after its other half. encoding/json turns a lone half into U+FFFD, so that different names could become equal.
func surrogatesPaired(literal string) bool {
	for i := 0; i < len(literal); i++ {
		if literal[i] != '\\' {
			continue
		}
		i++
		if literal[i] != 'u' {
			continue
		}
		unit := codeUnit(literal[i+1:])
		i += 4
		if !utf16.IsSurrogate(unit) {
			continue
		}
		rest := literal[i+1:]
		if !strings.HasPrefix(rest, `\u`) || utf16.DecodeRune(unit, codeUnit(rest[2:])) == utf8.RuneError {
			return false
		}
		i += len(`\u0000`)
	}
	return true
}

// codeUnit reads the four hexadecimal digits at the beginning of s.
func codeUnit(s string) rune {
	n, err := strconv.ParseUint(s[:4], 16, 16)
	if err != nil {
		return utf8.RuneError
	}
	return rune(n)
}

// Text returns a value if it is a string. A null is no string, although encoding/json would take it for an empty one.
func Text(raw json.RawMessage) (string, bool) {
	if len(raw) == 0 || raw[0] != '"' {
		return "", false
	}
	var s string
	err := json.Unmarshal(raw, &s)
	return s, err == nil
}

// Texts returns a value if it is an array of strings.
func Texts(raw json.RawMessage) ([]string, bool) {
	if len(raw) == 0 || raw[0] != '[' {
		return nil, false
	}
	var elements []json.RawMessage
	if json.Unmarshal(raw, &elements) != nil {
		return nil, false
	}
	values := make([]string, len(elements))
	for i, element := range elements {
		s, ok := Text(element)
		if !ok {
			return nil, false
		}
		values[i] = s
	}
	return values, true
}
