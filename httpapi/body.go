package httpapi

import (
	"encoding/json"
	"errors"
	"io"
	"math"
	"mime"
	"net/http"
	"slices"
	"strings"

	"example.org/library"
	"example.org/library/internal/strictjson"
	"example.org/library/internal/validation"
)

// maxBody is the largest request body that is read.
const maxBody = 1 << 20

// body reads the whole of a body that says it is JSON.
func (x *exchange) body() ([]byte, error) {
	if !isJSON(x.r.Header) {
		return nil, errNotJSON
	}
	return x.read()
}

// read reads the whole of a body.
func (x *exchange) read() ([]byte, error) {
	body, err := x.receive(maxBody, errTooLarge)
	if err != nil {
		return nil, err
	}
	return body, x.enter()
}

// receive reads the whole of a body, without a place.
func (x *exchange) receive(most int64, tooLarge error) ([]byte, error) {
	if x.r.ContentLength > most {
		return nil, tooLarge
	}
	if err := x.knownBeforeBody(); err != nil {
		return nil, err
	}
	x.leave() // from here on it waits for the caller
	body, err := io.ReadAll(http.MaxBytesReader(x.w, x.r.Body, most))
	if _, isTooLarge := errors.AsType[*http.MaxBytesError](err); isTooLarge {
		return nil, tooLarge
	} else if err != nil {
		return nil, badRequest(codeIncompleteBody, "The body could not be read to its end.")
	}
	return body, nil
}

// fields reads the JSON object in the request's body.
func (x *exchange) fields() (fields, error) {
	body, err := x.body()
	if err != nil {
		return fields{}, err
	}
	members, err := strictjson.Object(body)
	if err != nil {
		return fields{}, malformed(err)
	}
	return fields{members: members}, nil
}

// mediaType is what a body says that it is, "" if it does not say one thing.
func mediaType(h http.Header) (media string, params map[string]string) {
	types := h["Content-Type"]
	if len(types) != 1 || h["Content-Encoding"] != nil {
		return "", nil
	}
	media, params, err := mime.ParseMediaType(types[0])
	if err != nil {
		return "", nil
	}
	return media, params
}

func isJSON(h http.Header) bool {
	media, params := mediaType(h)
	if charset, ok := params["charset"]; ok && !strings.EqualFold(charset, "utf-8") {
		return false
	}
	return media == "application/json" || strings.HasPrefix(media, "application/") && strings.HasSuffix(media, "+json")
}

func malformed(err error) error {
	duplicate, isDuplicate := errors.AsType[*strictjson.DuplicateError](err)
	switch {
	case isDuplicate:
		return badRequest(codeMalformedBody, "The body names a member twice.", duplicateMember(duplicate))
	case errors.Is(err, strictjson.ErrTooMany):
		return library.ErrImportSize
	case errors.Is(err, strictjson.ErrNotArray):
		return badRequest(codeMalformedBody, "The body must be one JSON array of books.")
	case errors.Is(err, strictjson.ErrNotObject):
		return badRequest(codeMalformedBody, "The body must be one JSON object.")
	default:
		return badRequest(codeMalformedBody, "The body is not valid JSON.")
	}
}

// duplicateMember is about a member that is there more than once.
func duplicateMember(err *strictjson.DuplicateError) library.Detail {
	return library.Detail{Field: shorten(err.Name), Code: validation.CodeDuplicate, Message: "is there twice"}
}

// fields takes known members out of a JSON object, by their exact names, and
// collects those of a wrong type. Members that nobody asks for are ignored.
type fields struct {
	members map[string]json.RawMessage
	wrong   []library.Detail
}

// has reports whether there is a value; null is none.
func (f *fields) has(name string) bool {
	raw, ok := f.members[name]
	return ok && string(raw) != "null"
}

func (f *fields) text(name string) (value string) {
	f.decode(name, &value, library.Detail{Field: name, Code: validation.CodeNotString, Message: "must be a string"})
	return value
}

// texts returns nil when the member is absent.
func (f *fields) texts(name string) []string {
	notStrings := library.Detail{Field: name, Code: validation.CodeNotStrings, Message: "must be an array of strings"}
	var values []*string // a null among them must not pass for ""
	if !f.decode(name, &values, notStrings) || values == nil {
		return nil
	}
	if slices.Contains(values, nil) {
		f.wrong = append(f.wrong, notStrings)
		return nil
	}
	return each(values, func(v *string) string { return *v })
}

// word is text that is one of several, which does not depend on the white space
// around it.
func (f *fields) word(name string) string { return strings.TrimSpace(f.text(name)) }

func (f *fields) boolean(name string, otherwise bool) bool {
	value := otherwise
	f.decode(name, &value, library.Detail{Field: name, Code: validation.CodeNotBoolean, Message: "must be true or false"})
	return value
}

func (f *fields) integer(name string, otherwise int) int {
	value := wholeNumber(otherwise)
	f.decode(name, &value, library.Detail{Field: name, Code: validation.CodeNotNumber, Message: "must be a whole number"})
	return int(value)
}

// positive is a number from 1 to most, 0 when the member is absent.
func (f *fields) positive(name string, most int) int {
	n := f.integer(name, 1)
	switch {
	case !f.has(name):
		return 0
	case n < 1 || n > most:
		f.wrong = append(f.wrong, validation.OutOfRange(name, 1, most))
	}
	return n
}

// integers returns what is to be otherwise when the member is absent.
func (f *fields) integers(name string, otherwise []int) []int {
	notNumbers := library.Detail{Field: name, Code: validation.CodeNotNumbers, Message: "must be an array of whole numbers"}
	var values []wholeNumber
	if !f.decode(name, &values, notNumbers) || values == nil {
		return otherwise
	}
	return each(values, func(n wholeNumber) int { return int(n) })
}

// wholeNumber is a number of JSON without a fraction, however it is written.
// Numbers beyond every limit of ours are cut, so that they fit.
type wholeNumber int

func (n *wholeNumber) UnmarshalJSON(text []byte) error {
	const largest = 1 << 30
	var v float64
	if string(text) == "null" || json.Unmarshal(text, &v) != nil || v != math.Trunc(v) {
		return errNotWhole
	}
	*n = wholeNumber(max(-largest, min(largest, v)))
	return nil
}

var errNotWhole = errors.New("not a whole number")

func notUUID(name string) library.Detail {
	return library.Detail{Field: name, Code: validation.CodeNotUUID, Message: "is not a UUID of 36 characters"}
}

// identifier is that of the record itself, "" when it is absent.
func (f *fields) identifier() string { return f.reference("identifier") }

// reference is the identifier of a record, "" when the member is absent.
func (f *fields) reference(name string) string { return f.parse(name, library.ParseID, notUUID) }

// code is a barcode, "" when the member is absent.
func (f *fields) code(name string) string {
	trim := func(s string) (string, bool) { s = strings.TrimSpace(s); return s, library.IsCode(s) }
	return f.parse(name, trim, validation.NotACode)
}

// parse is text in a form that it must have.
func (f *fields) parse(name string, parse func(string) (string, bool), otherwise func(name string) library.Detail) string {
	if !f.has(name) {
		return ""
	}
	before := len(f.wrong)
	value, ok := parse(f.text(name))
	if !ok && len(f.wrong) == before {
		f.wrong = append(f.wrong, otherwise(name))
	}
	return value
}

func (f *fields) decode(name string, into any, otherwise library.Detail) bool {
	if f.has(name) && json.Unmarshal(f.members[name], into) != nil {
		f.wrong = append(f.wrong, otherwise)
		return false
	}
	return true
}

// err is everything that is wrong with the body: what is of the wrong type, and
// what the rules say about the rest.
func (f *fields) err(ruled []library.Detail) error {
	wrong := f.wrong
	for _, d := range ruled {
		named := func(w library.Detail) bool { return w.Field == d.Field }
		if !slices.ContainsFunc(f.wrong, named) {
			wrong = append(wrong, d)
		}
	}
	if len(wrong) == 0 {
		return nil
	}
	return library.InvalidFields(wrong...)
}

// mustBe refuses a body that is about another record than the path.
func (f *fields) mustBe(id string) {
	if given := f.identifier(); given != "" && given != id {
		f.wrong = append(f.wrong, library.Detail{Field: "identifier", Code: validation.CodeOtherThanPath, Message: "is not the one in the path"})
	}
}

// edit reads the new fields of a record from the body of a PUT.
func (x *exchange) edit(id string) (fields, error) {
	in, err := x.fields()
	in.mustBe(id)
	return in, err
}
