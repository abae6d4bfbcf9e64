package directory

import (
	"errors"
	"math"
	"net/http"
	"net/url"
	"strconv"

	"example.org/library"
	"example.org/library/scim"
)

// batch is how many records are read at once for a filter.
const batch = 1000

// collection is the resources of one type. Its functions are those of the service.
type collection[T any] struct {
	of       *scim.Type
	notFound error
	doc      func(r Request, record T) scim.Doc
	record   func(doc scim.Doc, old T) (T, error)
	read     func(r Request, q library.DirectoryQuery) ([]T, error)
	count    func(r Request) (int, error)
	add      func(r Request, edit func(old T) (T, error)) (T, error)
	edit     func(r Request, id string, edit func(old T) (T, error)) (T, error)
	remove   func(r Request, id string) error
}

func (c *collection[T]) routes() []Route {
	all, one := c.of.Path(), c.of.Path()+"/{id}"
	return []Route{
		{http.MethodGet, all, Read, c.list}, {http.MethodPost, all, Change, c.create},
		{http.MethodGet, one, Read, c.show}, {http.MethodPut, one, Change, c.replace},
		{http.MethodPatch, one, Change, c.patch}, {http.MethodDelete, one, Change, c.delete},
	}
}

func (c *collection[T]) selection(q url.Values) scim.Selection {
	return c.of.ParseSelection(q.Get("attributes"), q.Get("excludedAttributes"))
}

// answer returns one resource.
func (c *collection[T]) answer(r Request, status int, record T, err error) (Answer, error) {
	if err != nil {
		return Answer{}, err
	}
	doc := c.doc(r, record)
	a := Answer{Status: status, Tag: doc.Tag(), Body: c.selection(r.Query).Show(doc)}
	if status == http.StatusCreated {
		a.Location = doc.Location()
	}
	return a, nil
}

// id returns the identifier in the path. There is nothing with another one than a UUID.
func (c *collection[T]) id(r Request) (string, error) {
	id, ok := library.ParseID(r.Param)
	if !ok {
		return "", c.notFound
	}
	return id, nil
}

func (c *collection[T]) show(r Request) (Answer, error) {
	id, err := c.id(r)
	if err != nil {
		return Answer{}, err
	}
	found, err := c.read(r, library.DirectoryQuery{ID: id, Members: c.selection(r.Query).Shows("members")})
	if err == nil && len(found) == 0 {
		err = c.notFound
	}
	if err != nil {
		return Answer{}, err
	}
	return c.answer(r, http.StatusOK, found[0], nil)
}

func (c *collection[T]) create(r Request) (Answer, error) {
	body, err := r.Body()
	if err != nil {
		return Answer{}, err
	}
	doc, err := c.of.ReadNew(body)
	if err != nil {
		return Answer{}, err
	}
	record, err := c.add(r, func(old T) (T, error) { return c.record(doc, old) })
	return c.answer(r, http.StatusCreated, record, err)
}

// replace replaces what SCIM knows of a record.
func (c *collection[T]) replace(r Request) (Answer, error) {
	return c.change(r, func(body []byte, old scim.Doc) (scim.Doc, error) {
		doc, err := c.of.Read(body)
		if id, given := doc["id"]; err == nil && given && id != old["id"] {
			err = &scim.Error{Status: http.StatusBadRequest, Type: scim.Mutability, Detail: "The id cannot be changed."}
		}
		return doc, err
	})
}

func (c *collection[T]) patch(r Request) (Answer, error) {
	return c.change(r, func(body []byte, old scim.Doc) (scim.Doc, error) { return c.of.Patch(old, body) })
}

func (c *collection[T]) change(r Request, read func(body []byte, old scim.Doc) (scim.Doc, error)) (Answer, error) {
	id, err := c.id(r)
	if err != nil {
		return Answer{}, err
	}
	body, err := r.Body()
	if err != nil {
		return Answer{}, err
	}
	record, err := c.edit(r, id, func(old T) (T, error) {
		doc, err := read(body, c.doc(r, old))
		if err != nil {
			return old, err
		}
		return c.record(doc, old)
	})
	return c.answer(r, http.StatusOK, record, err)
}

func (c *collection[T]) delete(r Request) (Answer, error) {
	id, err := c.id(r)
	if err != nil {
		return Answer{}, err
	}
	return Answer{Status: http.StatusNoContent}, c.remove(r, id)
}

// number reads a number of the query.
func number(q url.Values, name string, usual, least, most int) (int, error) {
	if !q.Has(name) {
		return usual, nil
	}
	n, err := strconv.ParseInt(q.Get(name), 10, 64)
	if err != nil && !errors.Is(err, strconv.ErrRange) {
		return 0, &scim.Error{Status: http.StatusBadRequest, Type: scim.InvalidValue, Detail: name + " must be a number."}
	}
	return int(min(max(n, int64(least)), int64(most))), nil
}

func (c *collection[T]) list(r Request) (Answer, error) {
	start, err1 := number(r.Query, "startIndex", 1, 1, math.MaxInt32)
	count, err2 := number(r.Query, "count", 100, 0, scim.MaxResults)
	if err1 != nil || err2 != nil {
		return Answer{}, errors.Join(err1, err2)
	}
	total, found, err := c.find(r, start, count)
	if err != nil {
		return Answer{}, err
	}
	selection, resources := c.selection(r.Query), make([]map[string]any, len(found))
	for i, record := range found {
		resources[i] = selection.Show(c.doc(r, record))
	}
	return listed(resources, total, start)
}

// find returns how many records match the filter, and a page of them. A filter by a key asks an index; any
// other goes through all records.
func (c *collection[T]) find(r Request, start, count int) (total int, found []T, err error) {
	text := r.Query.Get("filter")
	query := library.DirectoryQuery{Limit: count, Offset: start - 1, Members: c.selection(r.Query).Shows("members")}
	if text == "" {
		if total, err = c.count(r); err == nil && count > 0 {
			found, err = c.read(r, query)
		}
		return total, found, err
	}
	filter, err := c.of.ParseFilter(text)
	if err != nil {
		return 0, nil, err
	}
	query.Limit, query.Offset, query.Members = batch, 0, query.Members || scim.Asks(filter, "members")
	if !narrow(&query, filter) {
		return 0, nil, nil
	}
	for {
		records, err := c.read(r, query)
		if err != nil {
			return 0, nil, err
		}
		for _, record := range records {
			if !filter.Matches(c.doc(r, record)) {
				continue
			}
			if total++; total >= start && len(found) < count {
				found = append(found, record)
			}
		}
		if len(records) < batch {
			return total, found, nil
		}
		query.Offset += batch
	}
}

// narrow lets a query read no more records than a filter needs. It reports whether there can be any.
func narrow(q *library.DirectoryQuery, f scim.Filter) bool {
	name, value, ok := scim.Key(f)
	if !ok || value == "" {
		return true
	}
	switch name {
	case "id":
		q.ID = value
	case "externalId":
		q.ExternalID = value
	default:
		q.UserName = value
	}
	return library.CanBeEmail(value)
}
