package table

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
)

// piece is a part of a file, found by a cutter at the beginning of some data.
type piece struct {
	n      int    // its length, with the end of the line; 0 if more data is needed to tell
	silent bool   // it only stands between records
	reason Reason // why it is no record; then it is only the first line
}

// cutter finds the record at the beginning of data. If whole is set, no more data
// will come; if full is set, no more will be kept.
type cutter func(data []byte, whole, full bool) (piece, error)

// pieces cuts a file into records and counts lines.
type pieces struct {
	scanner *bufio.Scanner
	cut     cutter
	measure func(text []byte) int // returns the size of a text in the file, in bytes

	line     int    // the first line of the piece
	reason   Reason // why the piece is no record, if it is none
	next     int    // the line after the piece
	size     int    // of everything taken so far, as measured
	skipping bool   // in the rest of a line longer than allowed
	partial  bool   // the file goes on: a piece without an end is left alone
}

// Reason is why a record cannot be read.
type Reason struct {
	Code string // a stable word for programs
	Text string // goes on from "line 17"
}

func (r Reason) Is() bool { return r != Reason{} }

func newPieces(r io.Reader, cut cutter, firstLine int) *pieces {
	p := &pieces{scanner: bufio.NewScanner(r), cut: cut, measure: func(text []byte) int { return len(text) }, next: firstLine}
	p.scanner.Buffer(make([]byte, 0, 64<<10), 2*MaxRecord)
	p.scanner.Split(p.split)
	return p
}

// read returns the next piece, valid until the next call, or io.EOF.
func (p *pieces) read() ([]byte, error) {
	if p.scanner.Scan() {
		return p.scanner.Bytes(), nil
	}
	if err := p.scanner.Err(); err != nil && !(p.partial && errors.Is(err, bufio.ErrTooLong)) {
		return nil, err
	}
	return nil, io.EOF
}

// split applies the cutter for the scanner. It always takes something from data
// longer than a record may be, so the scanner never gives up.
func (p *pieces) split(data []byte, atEOF bool) (used int, token []byte, err error) {
	for used < len(data) {
		n, isRecord, err := p.step(data[used:], atEOF)
		if isRecord {
			return used + n, data[used : used+n], nil
		}
		if used += n; n == 0 || err != nil {
			return used, nil, err
		}
	}
	return used, nil, nil
}

// step takes a record, or the text between records, from data. It takes nothing if it has to see more.
func (p *pieces) step(data []byte, atEOF bool) (n int, isRecord bool, err error) {
	if p.skipping {
		end := bytes.IndexByte(data, '\n') + 1
		p.skipping = end == 0
		if p.skipping {
			end = len(data)
		}
		return p.take(data, end), false, nil
	}
	atEOF = atEOF && !p.partial
	full := len(data) > MaxRecord
	found, err := p.cut(data, atEOF, full)
	switch {
	case err != nil:
		return 0, false, fmt.Errorf("line %d: %w", p.next, err)
	case found.silent:
		return p.take(data, found.n), false, nil
	case found.n == 0 && !atEOF && !full:
		return 0, false, nil
	}
	p.line, p.reason = p.next, found.reason
	if found.n == 0 { // not even the first line ends where a record has to
		if p.partial {
			return 0, false, nil
		}
		p.reason, p.skipping, found.n = tooLong, true, len(data)
	}
	return p.take(data, found.n), true, nil
}

func (p *pieces) take(data []byte, n int) int {
	p.next += bytes.Count(data[:n], []byte{'\n'})
	p.size += p.measure(data[:n])
	return n
}

var tooLong = Reason{"row_too_long", "is longer than 512 KiB"}

// cutLine finds the end of a line.
func cutLine(data []byte, whole, _ bool) (piece, error) {
	n := bytes.IndexByte(data, '\n') + 1
	if n == 0 && whole {
		n = len(data)
	}
	if n > MaxRecord {
		return piece{n: n, reason: tooLong}, nil
	}
	return piece{n: n}, nil
}
