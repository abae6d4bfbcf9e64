package devidp

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"

	"example.org/library/internal/strictjson"
)

// maxConfigSize keeps a wrong file name from filling the memory.
const maxConfigSize = 4 << 20

// configReader decodes a configuration without encoding/json, which stops at the
// first problem: a person should see all of them at once.
type configReader struct {
	problems []Problem
}

func readConfig(data []byte) (Config, []Problem) {
	var r configReader
	if len(data) > maxConfigSize {
		r.report("", "it is longer than %d bytes", maxConfigSize)
		return Config{}, r.problems
	}
	members, err := strictjson.Object(data)
	if err != nil {
		r.report("", "%s", whereSyntax(data, err))
		return Config{}, r.problems
	}
	var cfg Config
	var users, clients []json.RawMessage
	r.members("", members, map[string]any{"users": &users, "clients": &clients})
	for i, raw := range users {
		cfg.Users = append(cfg.Users, r.user(fmt.Sprintf("users[%d]", i), raw))
	}
	for i, raw := range clients {
		cfg.Clients = append(cfg.Clients, r.client(fmt.Sprintf("clients[%d]", i), raw))
	}
	return cfg, r.problems
}

// whereSyntax adds the line to a syntax error, where there is one.
func whereSyntax(data []byte, err error) string {
	var ignored any
	if syntax, is := errors.AsType[*json.SyntaxError](json.Unmarshal(data, &ignored)); is {
		line := 1 + bytes.Count(data[:min(int(syntax.Offset), len(data))], []byte("\n"))
		return fmt.Sprintf("%v (line %d: %v)", err, line, syntax)
	}
	return err.Error()
}

func (r *configReader) user(where string, raw json.RawMessage) User {
	var u User
	r.object(where, raw, map[string]any{
		"username": &u.Username, "password": &u.Password,
		"email": &u.Email, "emailVerified": &u.EmailVerified,
		"firstName": &u.FirstName, "lastName": &u.LastName, "groups": &u.Groups,
	})
	return u
}

func (r *configReader) client(where string, raw json.RawMessage) Client {
	var c Client
	var account json.RawMessage
	r.object(where, raw, map[string]any{
		"id": &c.ID, "secret": &c.Secret, "grants": &c.Grants,
		"redirectUris": &c.RedirectURIs, "postLogoutRedirectUris": &c.PostLogoutRedirectURIs,
		"webOrigins": &c.WebOrigins, "serviceAccount": &account,
	})
	if account != nil {
		c.ServiceAccount = r.serviceAccount(where+".serviceAccount", account)
	}
	return c
}

func (r *configReader) serviceAccount(where string, raw json.RawMessage) *ServiceAccount {
	var a ServiceAccount
	r.object(where, raw, map[string]any{
		"email": &a.Email, "emailVerified": &a.EmailVerified,
		"firstName": &a.FirstName, "lastName": &a.LastName, "groups": &a.Groups,
	})
	return &a
}

func (r *configReader) object(where string, raw json.RawMessage, fields map[string]any) {
	members, err := strictjson.Object(raw)
	if err != nil {
		r.report(where, "must be an object")
		return
	}
	r.members(where, members, fields)
}

// members reads each member into its field. Names count exactly as written.
func (r *configReader) members(where string, members map[string]json.RawMessage, fields map[string]any) {
	for _, name := range slices.Sorted(maps.Keys(members)) {
		at := name
		if where != "" {
			at = where + "." + name
		}
		field, known := fields[name]
		if !known {
			r.report(where, "unknown member %q", name)
			continue
		}
		// null would leave the field as it is, as if it were not there.
		if raw := members[name]; string(raw) == "null" || json.Unmarshal(raw, field) != nil {
			r.report(at, "must be %s", kindOf(field))
			continue
		}
		// An empty list is no list, so that what is printed reads back the same.
		if list, ok := field.(*[]string); ok && len(*list) == 0 {
			*list = nil
		}
	}
}

func kindOf(field any) string {
	switch field.(type) {
	case *string:
		return "a string"
	case *bool:
		return "true or false"
	case *[]string:
		return "an array of strings"
	case *[]json.RawMessage:
		return "an array"
	}
	return "an object"
}

func (r *configReader) report(where, format string, args ...any) {
	r.problems = append(r.problems, Problem{Where: where, What: fmt.Sprintf(format, args...)})
}
