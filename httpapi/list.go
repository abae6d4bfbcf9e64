package httpapi

import (
	"bytes"
	"encoding/json"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"example.org/library/httpapi/internal/responsecache"
	"example.org/library/internal/table"
	"example.org/library/service"
)

const (
	streamChunk   = 32 << 10         // how much of a long list is sent at a time
	streamTimeout = 30 * time.Second // how long the caller may take for a chunk

	// maxBuffered is how many lists at once may be buffered whole, to see
	// whether they can be cached: 32 MiB in all, with the unused part
	// of growing buffers.
	maxBuffered = 64
)

// array encodes records one by one into a JSON array, or into the lines of a spreadsheet.
type array struct {
	buf   bytes.Buffer
	enc   *json.Encoder
	any   bool
	sheet *table.Sheet // nil for JSON
}

func newArray(sheet *table.Sheet) *array {
	a := &array{sheet: sheet}
	if sheet != nil {
		a.buf.Write(sheet.AppendHeader(nil))
		return a
	}
	a.enc = json.NewEncoder(&a.buf)
	a.enc.SetEscapeHTML(false)
	a.buf.WriteByte('[')
	return a
}

func (a *array) add(v any) error {
	if a.sheet != nil {
		a.buf.Write(a.sheet.Append(a.buf.AvailableBuffer(), v))
		return nil
	}
	if a.any {
		a.buf.WriteByte(',')
	}
	a.any = true
	err := a.enc.Encode(v)
	a.buf.Truncate(a.buf.Len() - 1) // the encoder's line break
	return err
}

func (a *array) end() {
	if a.sheet == nil {
		a.buf.WriteByte(']')
	}
}

// list answers with a list of any length in constant memory: a small one is sent whole, a
// long one as it is read, with the tag.
func list[T, W any](x *exchange, l service.List[T], wire func(T) W, tag string, whole func(*responsecache.Response) error) error {
	head := headOf(x, l, tag)
	sheet, err := sheetOf[W](x, head)
	if err != nil {
		return err
	}
	begin := func() { setHeaders(x.w.Header(), head) }
	buffered, release := x.bufferList()
	defer func() { release() }()
	out := newArray(sheet)
	for record, err := range l.All {
		if err == nil {
			err = out.add(wire(record))
		}
		if err != nil {
			return x.breakOff(err)
		}
		if out.buf.Len() < streamChunk || x.status == 0 && out.buf.Len() < buffered {
			continue
		}
		if over, err := x.stream(begin, &out.buf); over || err != nil {
			return x.breakOff(err)
		}
		if err := x.enter(); err != nil {
			return x.breakOff(err)
		}
		release()
		release = func() {}
	}
	out.end()
	if x.status != 0 {
		_, err := x.stream(begin, &out.buf)
		return x.breakOff(err)
	}
	head.Body = bytes.Clone(out.buf.Bytes())
	return whole(head)
}

// headOf returns the headers of a list, as a response without a body.
func headOf[T any](x *exchange, l service.List[T], tag string) *responsecache.Response {
	head := responsecache.NewResponse(nil, tag)
	if x.corrected != "" {
		head.Corrected = correctedField(x.corrected)
	}
	head.Total, head.AtLeast = strconv.Itoa(l.Total), l.AtLeast
	if l.Next != "" {
		head.Link = x.nextLink(l.Next)
	}
	return head
}

// correctedField is a corrected question as the value of X-Corrected-Query.
func correctedField(question string) string {
	return strings.ReplaceAll(url.QueryEscape(question), "+", "%20")
}

// listUncached answers with a list outside of the cache, unless there is an error.
func listUncached[T, W any](x *exchange, l service.List[T], err error, wire func(T) W) error {
	if err != nil {
		return err
	}
	return list(x, l, wire, "", x.answer)
}

// bufferList returns how much of a list may be buffered before the first byte is
// sent, to see whether it is small. While many lists wait for their callers to
// read them, further ones are sent in chunks at once. The caller must
// release the buffer.
func (x *exchange) bufferList() (most int, release func()) {
	lists, limit := &x.server.buffered, int64(maxBuffered)
	if x.actor.Stranger {
		lists, limit = &x.server.public.buffered, publicBuffered
	}
	if lists.Add(1) > limit {
		lists.Add(-1)
		return streamChunk, func() {}
	}
	return responsecache.MaxBody, func() { lists.Add(-1) }
}

// stream sends the buffer, if the caller may still see it. Before the first piece, begin sets the
// headers. It is over when nobody reads on.
func (x *exchange) stream(begin func(), buf *bytes.Buffer) (over bool, err error) {
	if err := x.recheck(x.r.Context()); err != nil {
		return true, err
	}
	if x.status == 0 {
		begin()
		x.writeHeader(http.StatusOK)
	}
	if x.r.Method == http.MethodHead {
		return true, nil
	}
	// Each chunk has a time-out of its own: a long list may take long, a
	// pause of the caller may not.
	x.allow(streamTimeout)
	x.leave()
	over = x.send(buf.Bytes()) != nil
	if buf.Reset(); buf.Cap() > 4*streamChunk {
		*buf = bytes.Buffer{} // it was large to see whether the list is small
	}
	return over, nil
}

// breakOff ends a list after a failure, or if the caller may not see the rest. After the
// first part, only a cut connection tells the caller about the missing rest.
func (x *exchange) breakOff(err error) error {
	if x.status == 0 || err == nil {
		return err
	}
	x.code = "broken_off"
	if x.r.Context().Err() == nil && !isRefusal(err) {
		x.server.log.Error("list broken off", "requestId", x.id, "route", x.pattern(), "error", err)
	}
	panic(http.ErrAbortHandler)
}

// nextLink is the address of the next page: this one's with another cursor.
func (x *exchange) nextLink(cursor string) string {
	q, _ := url.ParseQuery(x.r.URL.RawQuery) // it has been parsed before
	q.Set("cursor", cursor)
	return "<" + x.r.URL.EscapedPath() + "?" + q.Encode() + `>; rel="next"`
}
