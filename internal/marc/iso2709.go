package marc

import (
	"bytes"
	"io"
	"slices"
	"strings"
	"unicode"
)

// The separators of records, fields and subfields.
const (
	recordEnd     = 0x1D
	fieldEnd      = 0x1E
	subfieldBegin = 0x1F

	entryLength = 12 // of the directory: tag, length, start
)

// between has the characters found between two records in files.
const between = "\r\n\t \x00\x1a\ufeff"

// isoCutter cuts a file into records. A record gives its end twice, by its length and by a
// mark; in real files either can be wrong or missing.
type isoCutter struct {
	in      *source
	partial bool
	record  Record // the last one; next parses it to check its end
	err     error
}

// parse returns the record, or the error, found by next.
func (c *isoCutter) parse([]byte) (Record, error) { return c.record, c.err }

// next returns one record without its mark. It is valid until the next call.
func (c *isoCutter) next() ([]byte, error) {
	if err := c.in.skipAny(between); err != nil {
		return nil, err
	}
	found, end, err := c.window()
	switch {
	case err != nil && err != io.EOF:
		return nil, err
	case end < 0 && err == nil:
		c.skipRecord()
		c.in.done = c.in.read
		return nil, errTooLong
	case end < 0 && c.partial:
		return nil, io.EOF
	case end < 0:
		end = len(found)
	case found[end] == recordEnd:
		found, end = c.byLength(found, end)
		if begin := nextLeader(found[:end]); begin > 0 { // the mark between two records is missing
			end = begin
		}
	}
	raw := slices.Clone(found[:end])
	if c.record, c.err = parseISO(raw); c.err != nil {
		if begin := innerRecord(raw); begin > 0 { // this one was cut off, and the next one follows
			c.in.skip(begin)
			c.in.done = c.in.read
			return nil, errNoEnd
		}
	}
	c.in.skip(end)
	hasMark := end < len(found) && found[end] == recordEnd
	if hasMark {
		c.in.skip(1)
	}
	c.in.done = c.in.read
	if !hasMark && !bytes.HasSuffix(bytes.TrimRight(raw, between), []byte{fieldEnd}) {
		return nil, errNoEnd // the file was cut off
	}
	return raw, nil
}

// window returns the file up to the next mark, or up to the next record where the mark is
// missing; end is -1 if there is neither, with io.EOF if the file ends before.
func (c *isoCutter) window() (found []byte, end int, err error) {
	for size, seen := 4<<10, 0; ; size *= 2 {
		size = min(size, MaxRecord)
		found, err = c.in.Peek(size)
		if i := bytes.IndexByte(found[seen:], recordEnd); i >= 0 {
			return found, seen + i, nil
		}
		if begin := nextLeader(found); begin > 0 {
			return found, begin, nil
		}
		if seen = len(found); err != nil || size == MaxRecord {
			return found, -1, err
		}
	}
}

// byLength returns the end of the record by its length if the first mark is part of a field.
// Then another record, or the end of the file, follows the mark at this length and does not
// follow the first mark. Otherwise it returns the first mark.
func (c *isoCutter) byLength(found []byte, end int) ([]byte, int) {
	length, ok := number(found[:min(5, end)])
	if !ok || length <= end+1 {
		return found, end
	}
	const ahead = leaderLength + 2 // and the end of a line
	all, _ := c.in.Peek(length + ahead)
	isEnd := func(at int) bool {
		rest := bytes.TrimLeft(all[at:], between)
		return isLeader(rest) || len(rest) == 0 && len(all) < at+ahead
	}
	if len(all) < length || all[length-1] != recordEnd || isEnd(end+1) || !isEnd(length) {
		return all, end
	}
	return all, length - 1
}

// skipRecord skips everything up to the next record.
func (c *isoCutter) skipRecord() {
	for {
		chunk, err := c.in.ReadSlice(recordEnd)
		c.in.read += int64(len(chunk))
		if err == nil || err == io.EOF {
			return
		}
	}
}

// nextLeader returns the offset of another record inside of one, 0 if there is none. It
// begins behind a field or in a line of its own. nextLeader does not look at the fields of a
// good record: a number and a date in them can look like a leader.
func nextLeader(raw []byte) int {
	for at := max(fieldsEnd(raw)-1, leaderLength); at < len(raw); at++ {
		i := bytes.IndexAny(raw[at:], "\x1e\n")
		if i < 0 {
			return 0
		}
		at += i
		rest := bytes.TrimLeft(raw[at+1:], between)
		if isLeader(rest) {
			return len(raw) - len(rest)
		}
	}
	return 0
}

// fieldsEnd returns the end of the last field if each field ends where the directory says, otherwise 0.
func fieldsEnd(raw []byte) int {
	if len(raw) < leaderLength {
		return 0
	}
	size := bytes.IndexByte(raw[leaderLength:], fieldEnd)
	if size <= 0 || size%entryLength != 0 {
		return 0
	}
	data, last := leaderLength+size+1, 0
	for _, e := range entriesOf(raw[leaderLength : data-1]) {
		end := data + e.start + e.length
		if !e.ok || end > len(raw) || raw[end-1] != fieldEnd {
			return 0
		}
		last = max(last, end)
	}
	return last
}

// innerTries bounds how many possible records innerRecord parses.
const innerTries = 16

// innerRecord returns the offset of a good record inside of a broken one, 0 if there is none.
func innerRecord(raw []byte) int {
	for at, tries := 1, 0; at+leaderLength < len(raw) && tries < innerTries; at++ {
		if !isLeader(raw[at:]) {
			continue
		}
		tries++
		if _, err := parseISO(raw[at:]); err == nil {
			return at
		}
	}
	return 0
}

// isLeader reports whether a record may begin here.
func isLeader(raw []byte) bool {
	if len(raw) < leaderLength || string(raw[20:22]) != "45" || bytes.ContainsFunc(raw[:leaderLength], unicode.IsControl) {
		return false
	}
	_, length := number(raw[:5])
	_, base := number(raw[12:17])
	return length && base
}

// number parses a number without a sign. It reports false unless all bytes are digits.
func number(digits []byte) (n int, ok bool) {
	for _, d := range digits {
		if d < '0' || d > '9' {
			return 0, false
		}
		n = 10*n + int(d-'0')
	}
	return n, len(digits) > 0
}

func parseISO(raw []byte) (Record, error) {
	if len(raw) < leaderLength+1 {
		return Record{}, errTooShort
	}
	if bytes.Count(raw, []byte{subfieldBegin}) > maxSubfields {
		return Record{}, errSubfields
	}
	r := Record{Leader: strings.ToValidUTF8(string(raw[:leaderLength]), " ")}
	size := bytes.IndexByte(raw[leaderLength:], fieldEnd)
	if size < 0 || size%entryLength != 0 {
		return Record{}, errDirectory
	}
	entries := entriesOf(raw[leaderLength : leaderLength+size])
	values, ok := valuesOf(entries, raw[leaderLength+size+1:])
	if !ok && size > 0 {
		return Record{}, errFieldCount
	}
	text := r.marc8Text
	if r.LeaderAt(9) == 'a' {
		text = r.unicodeText
	}
	r.Fields = make([]Field, 0, len(entries))
	for i, e := range entries {
		r.add(fieldOf(e.tag, values[i], text))
	}
	if len(r.Fields) == 0 {
		return Record{}, errNoFields
	}
	return r, nil
}

// entry is the place of a field according to the directory.
type entry struct {
	tag           string
	length, start int
	ok            bool // both are numbers
}

func entriesOf(directory []byte) (entries []entry) {
	for ; len(directory) > 0; directory = directory[entryLength:] {
		e := entry{tag: string(directory[:3])}
		length, isLength := number(directory[3:7])
		start, isStart := number(directory[7:12])
		e.length, e.start, e.ok = length, start, isLength && isStart
		entries = append(entries, e)
	}
	return entries
}

// valuesOf returns the values of the fields from the places in the directory or, if these cannot be right, one after
// another. Fields cannot share their bytes: a short record would be read as a very long one.
func valuesOf(entries []entry, data []byte) (values [][]byte, ok bool) {
	sum := 0
	for _, e := range entries {
		end := e.start + e.length
		sum += e.length
		if !e.ok || e.length == 0 || end > len(data) || sum > len(data) || bytes.IndexByte(data[e.start:end], fieldEnd) != e.length-1 {
			return inTurn(entries, data)
		}
		values = append(values, data[e.start:end-1])
	}
	if bytes.Count(data, []byte{fieldEnd}) < len(entries) { // several entries for the same field
		return nil, false
	}
	return values, true
}

// inTurn returns the values as they follow one another. The directory may have the fields in
// another order. It reports false if there is not one value for each entry.
func inTurn(entries []entry, data []byte) ([][]byte, bool) {
	parts := bytes.Split(bytes.TrimSuffix(data, []byte{fieldEnd}), []byte{fieldEnd})
	if len(parts) != len(entries) {
		return nil, false
	}
	order := make([]int, len(entries))
	sortable := true
	for i, e := range entries {
		order[i] = i
		sortable = sortable && e.ok
	}
	if sortable {
		slices.SortStableFunc(order, func(a, b int) int { return entries[a].start - entries[b].start })
	}
	values := make([][]byte, len(entries))
	for place, i := range order {
		values[i] = parts[place]
	}
	return values, true
}
