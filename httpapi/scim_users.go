package httpapi

import (
	"math"
	"net/http"
	"net/url"
	"strconv"

	"example.org/library"
	"example.org/library/scim"
	"example.org/library/service"
)

// scimBatch is how many records are read at once for a filter.
const scimBatch = 1000

func (d *directory) person(x *exchange) scim.Person {
	return scim.Person{ByUserName: d.ByUserName, Location: d.address(x.r) + "/Users/"}
}

// scimUserID returns the identifier in the path. There is nobody with another one than a UUID.
func (x *exchange) scimUserID() (string, error) {
	id, ok := library.ParseID(x.param)
	if !ok {
		return "", library.ErrUserNotFound
	}
	return id, nil
}

// scimBody reads a body.
func (x *exchange) scimBody() ([]byte, error) {
	if !isJSON(x.r.Header) {
		return nil, errSCIMNotJSON
	}
	body, err := x.receive(maxSCIMBody, errSCIMTooLarge)
	if err != nil {
		return nil, err
	}
	return body, x.enter()
}

func selectionOf(q url.Values) scim.Selection {
	return scim.ParseSelection(q.Get("attributes"), q.Get("excludedAttributes"))
}

// sendUser sends one user.
func (x *exchange) sendUser(status int, u library.DirectoryUser, err error) error {
	if err != nil {
		return inSCIM(err)
	}
	d := x.server.directory
	tag := scim.Tag(u)
	setTag(x.w.Header(), tag)
	if status == http.StatusOK && x.r.Method == http.MethodGet && fresh(x.r.Header, tag) {
		x.notModified(tag)
		return nil
	}
	if status == http.StatusCreated {
		x.w.Header().Set("Location", d.person(x).Location+u.ID)
	}
	return x.scim(status, selectionOf(x.r.URL.Query()).Show(d.person(x).Doc(u)))
}

func (s *Server) showSCIMUser(x *exchange) error {
	id, err := x.scimUserID()
	if err != nil {
		return err
	}
	found, err := s.service.DirectoryUsers(x.r.Context(), x.actor, library.DirectoryQuery{ID: id})
	if err == nil && len(found) == 0 {
		err = library.ErrUserNotFound
	}
	if err != nil {
		return err
	}
	return x.sendUser(http.StatusOK, found[0], nil)
}

func (s *Server) addSCIMUser(x *exchange) error {
	body, err := x.scimBody()
	if err != nil {
		return err
	}
	doc, err := scim.Read(body)
	if err != nil {
		return inSCIM(err)
	}
	delete(doc, "id") // the library chooses it
	u, err := s.service.AddDirectoryUser(x.r.Context(), x.actor, func(old library.DirectoryUser) (library.DirectoryUser, error) {
		return s.directory.person(x).Record(doc, old)
	})
	return x.sendUser(http.StatusCreated, u, err)
}

// replaceSCIMUser replaces what SCIM knows of a user.
func (s *Server) replaceSCIMUser(x *exchange) error {
	return s.editSCIMUser(x, func(body []byte, old library.DirectoryUser) (scim.Doc, error) {
		doc, err := scim.Read(body)
		if id, given := doc["id"]; err == nil && given && id != old.ID {
			err = &scim.Error{Status: http.StatusBadRequest, Type: scim.Mutability, Detail: "The id cannot be changed."}
		}
		return doc, err
	})
}

func (s *Server) patchSCIMUser(x *exchange) error {
	return s.editSCIMUser(x, func(body []byte, old library.DirectoryUser) (scim.Doc, error) {
		return scim.Patch(s.directory.person(x).Doc(old), body)
	})
}

func (s *Server) editSCIMUser(x *exchange, read func(body []byte, old library.DirectoryUser) (scim.Doc, error)) error {
	id, err := x.scimUserID()
	if err != nil {
		return err
	}
	body, err := x.scimBody()
	if err != nil {
		return err
	}
	var edit service.DirectoryEdit = func(old library.DirectoryUser) (library.DirectoryUser, error) {
		doc, err := read(body, old)
		if err != nil {
			return old, err
		}
		return s.directory.person(x).Record(doc, old)
	}
	u, err := s.service.EditDirectoryUser(x.r.Context(), x.actor, id, precondition(x.r.Header), edit)
	return x.sendUser(http.StatusOK, u, err)
}

func (s *Server) removeSCIMUser(x *exchange) error {
	id, err := x.scimUserID()
	if err != nil {
		return err
	}
	return x.noContent(inSCIM(s.service.RemoveDirectoryUser(x.r.Context(), x.actor, id, precondition(x.r.Header))))
}

// scimPage is a part of a list.
type scimPage struct{ start, count int }

// scimNumber reads a number of the query.
func scimNumber(q url.Values, name string, usual, least, most int) (int, error) {
	if !q.Has(name) {
		return usual, nil
	}
	n, err := strconv.ParseInt(q.Get(name), 10, 64)
	if numError, is := err.(*strconv.NumError); is && numError.Err != strconv.ErrRange || q.Get(name) == "" {
		return 0, &scim.Error{Status: http.StatusBadRequest, Type: scim.InvalidValue, Detail: name + " must be a number."}
	}
	return int(min(max(n, int64(least)), int64(most))), nil
}

func (s *Server) listSCIMUsers(x *exchange) error {
	q := x.r.URL.Query()
	start, err1 := scimNumber(q, "startIndex", 1, 1, math.MaxInt32)
	count, err2 := scimNumber(q, "count", 100, 0, scim.MaxResults)
	if err1 != nil || err2 != nil {
		return inSCIM(firstError(err1, err2))
	}
	total, found, err := s.findSCIMUsers(x, q.Get("filter"), scimPage{start, count})
	if err != nil {
		return inSCIM(err)
	}
	selection, person := selectionOf(q), s.directory.person(x)
	return x.scim(http.StatusOK, map[string]any{
		"schemas": []string{scim.ListResponse}, "totalResults": total, "startIndex": start, "itemsPerPage": len(found),
		"Resources": each(found, func(u library.DirectoryUser) map[string]any { return selection.Show(person.Doc(u)) }),
	})
}

func firstError(errs ...error) error {
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}

// findSCIMUsers returns how many users match a filter, and a page of them. A filter by a key asks an index;
// any other goes through all users.
func (s *Server) findSCIMUsers(x *exchange, text string, page scimPage) (total int, found []library.DirectoryUser, err error) {
	ctx := x.r.Context()
	if text == "" {
		if total, err = s.service.CountDirectoryUsers(ctx, x.actor); err != nil || page.count == 0 {
			return total, nil, err
		}
		found, err = s.service.DirectoryUsers(ctx, x.actor, library.DirectoryQuery{Limit: page.count, Offset: page.start - 1})
		return total, found, err
	}
	filter, err := scim.ParseFilter(text)
	if err != nil {
		return 0, nil, err
	}
	query, byKey := scimQuery(filter)
	if byKey == "" {
		query.Limit = scimBatch
	} else if !library.CanBeEmail(byKey) {
		return 0, nil, nil
	}
	person := s.directory.person(x)
	for {
		users, err := s.service.DirectoryUsers(ctx, x.actor, query)
		if err != nil {
			return 0, nil, err
		}
		for _, u := range users {
			if !filter.Matches(person.Doc(u)) {
				continue
			}
			if total++; total >= page.start && len(found) < page.count {
				found = append(found, u)
			}
		}
		if byKey != "" || len(users) < scimBatch {
			return total, found, nil
		}
		query.Offset += scimBatch
	}
}

// scimQuery returns the query of a filter, and the key in it or "".
func scimQuery(f scim.Filter) (q library.DirectoryQuery, key string) {
	name, value, ok := scim.Key(f)
	if !ok || value == "" {
		return q, ""
	}
	switch name {
	case "id":
		q.ID = value
	case "externalId":
		q.ExternalID = value
	default:
		q.UserName = value
	}
	return q, value
}
