package table

import (
	"bytes"
	"errors"
	"fmt"
)

// array cuts a JSON array into its elements. A syntax error between them ends the
// reading: nothing tells where the next element begins.
type array struct {
	expects expectation
	nouns   Nouns
}

// expectation is the part of an array to come next.
type expectation int

const (
	anOpening expectation = iota
	anElementOrTheEnd
	anElement
	aSeparator
	nothing
)

const white = " \t\r\n"

var (
	errAfterEnd  = errors.New("something stands after the end of the array")
	errArrayEnds = errors.New("the file ends within its array")
)

func (a *array) errNoComma() error {
	return fmt.Errorf("a comma is missing between two %s", a.nouns.Many)
}

func (a *array) errNoElement() error {
	return fmt.Errorf("a %s is missing beside a comma", a.nouns.One)
}

func (a *array) errBegun(text string) error {
	return fmt.Errorf("the %s that begins here %s", a.nouns.One, text)
}

func (a *array) cut(data []byte, whole, full bool) (piece, error) {
	if n := len(data) - len(bytes.TrimLeft(data, white)); n > 0 {
		return piece{n: n, silent: true}, nil
	}
	between := piece{n: 1, silent: true}
	switch c := data[0]; {
	case a.expects == anOpening: // startJSON has seen it
		a.expects = anElementOrTheEnd
		return between, nil
	case a.expects == nothing:
		return piece{}, errAfterEnd
	case c == ']' && a.expects != anElement:
		a.expects = nothing
		return between, nil
	case a.expects != aSeparator:
		return a.element(data, whole, full)
	case c != ',':
		return piece{}, a.errNoComma()
	}
	a.expects = anElement
	return between, nil
}

func (a *array) element(data []byte, whole, full bool) (piece, error) {
	if data[0] == ',' || data[0] == ']' {
		return piece{}, a.errNoElement()
	}
	n := endOfElement(data)
	switch {
	case n > MaxRecord || n == 0 && full:
		return piece{}, a.errBegun(tooLong.Text)
	case n == 0 && whole:
		return piece{}, a.errBegun("has no end; a bracket or a quotation mark is missing")
	case n > 0:
		a.expects = aSeparator
	}
	return piece{n: n}, nil
}

// endOfElement returns the length of the value at the beginning of data, 0 if
// it does not end there. It does not check whether the value is valid.
func endOfElement(data []byte) int {
	depth := 0
	for i := 0; i < len(data); i++ {
		switch c := data[i]; {
		case c == '"':
			for i++; i < len(data) && data[i] != '"'; i++ {
				if data[i] == '\\' {
					i++
				}
			}
			if i >= len(data) {
				return 0
			}
		case depth == 0 && (c == ',' || c == ']' || c == '}' && i > 0):
			return i
		case c == '{' || c == '[':
			depth++
		case c == '}' || c == ']':
			if depth--; depth <= 0 {
				return i + 1
			}
		}
	}
	return 0
}
