package scim

import (
	"bytes"
	"encoding/json"
	"errors"
	"maps"
	"slices"
	"strings"

	"example.org/library/internal/strictjson"
)

// Doc is a resource: attributes of the table by their exact names. Values are strings, booleans, a
// map[string]any for name and meta, and a []map[string]any for emails and members.
type Doc map[string]any

// Read reads the body of a new resource, or of one that is replaced.
func (t *Type) Read(body []byte) (Doc, error) {
	members, err := object(body)
	if err != nil {
		return nil, err
	}
	doc := Doc{}
	return doc, t.merge(doc, members, "replace")
}

// ReadNew reads the body of a new resource. It has no identifier, and a person has the names that the whole name tells.
func (t *Type) ReadNew(body []byte) (Doc, error) {
	doc, err := t.Read(body)
	if err != nil {
		return nil, err
	}
	delete(doc, "id") // the library chooses it
	if t == Users {
		doc.completeName()
	}
	return doc, nil
}

// object reads a JSON object without duplicate members at any depth.
func object(data []byte) (map[string]any, error) {
	_, err := strictjson.Object(data)
	if duplicate, is := errors.AsType[*strictjson.DuplicateError](err); is {
		return nil, refuse(InvalidSyntax, "The body names the member %q twice.", firstOf(duplicate.Name))
	}
	var members map[string]any
	d := json.NewDecoder(bytes.NewReader(data))
	d.UseNumber()
	if err != nil || d.Decode(&members) != nil {
		return nil, refuse(InvalidSyntax, "The body must be one JSON object.")
	}
	return members, unambiguous(members)
}

// unambiguous refuses an object with two names of one attribute, which differ in case alone, at any depth.
func unambiguous(value any) error {
	switch v := value.(type) {
	case map[string]any:
		seen := make(map[string]bool, len(v))
		for name, inner := range v {
			folded := strings.ToLower(name)
			if seen[folded] {
				return refuse(InvalidSyntax, "The body names %q twice.", firstOf(folded))
			}
			seen[folded] = true
			if err := unambiguous(inner); err != nil {
				return err
			}
		}
	case []any:
		for _, inner := range v {
			if err := unambiguous(inner); err != nil {
				return err
			}
		}
	}
	return nil
}

// merge sets the attributes of an object. A schema's identifier has an object of its own.
func (t *Type) merge(d Doc, members map[string]any, op string) error {
	for _, name := range slices.Sorted(maps.Keys(members)) { // the same body always means the same
		value := members[name]
		local, known := t.localName(name)
		if inner, isObject := value.(map[string]any); known && local == "" && isObject {
			if err := t.merge(d, inner, op); err != nil {
				return err
			}
			continue
		}
		p, err := t.parsePath(name)
		if err != nil || p.main == nil {
			continue // not kept
		}
		if value == nil && p.main.name != "active" {
			continue // as good as left out
		}
		if err := d.set(p, value, op); err != nil {
			return err
		}
	}
	return nil
}

// text returns an attribute or a sub-attribute, "" for none.
func (d Doc) text(name string, sub ...string) string {
	v := d[name]
	if len(sub) > 0 {
		inner, _ := v.(map[string]any)
		v = inner[sub[0]]
	}
	s, _ := v.(string)
	return s
}

// simple reads a value of an attribute that is not complex.
func (a *attribute) simple(value any) (any, error) {
	if a.kind == boolean {
		if b, ok := asBool(value); ok {
			return b, nil
		}
		return nil, refuse(InvalidValue, "%s must be true or false.", a.name)
	}
	if s, ok := value.(string); ok {
		return s, nil
	}
	return nil, refuse(InvalidValue, "%s must be a string.", a.name)
}

// element reads the sub-attributes of one value. A plain string is its value.
func (a *attribute) element(value any) (map[string]any, error) {
	if s, ok := value.(string); ok && a.multi {
		return map[string]any{"value": s}, nil
	}
	members, ok := value.(map[string]any)
	if !ok {
		return nil, refuse(InvalidValue, "%s must be an object.", a.name)
	}
	out := map[string]any{}
	for name, v := range members {
		sub := a.sub(name)
		if sub == nil || v == nil {
			continue
		}
		simple, err := sub.simple(v)
		if err != nil {
			return nil, err
		}
		out[sub.name] = simple
	}
	return out, nil
}

// check reports whether there are too many values.
func (a *attribute) check(values int) error {
	if a.most > 0 && values > a.most {
		return refuse(InvalidValue, "There may be %d %s.", a.most, a.name)
	}
	return nil
}

// elements reads the values of an attribute with several.
func (a *attribute) elements(value any) (out []map[string]any, err error) {
	list, isList := value.([]any)
	if !isList {
		list = []any{value}
	}
	if err := a.check(len(list)); err != nil {
		return nil, err
	}
	for _, v := range list {
		e, err := a.element(v)
		if err != nil {
			return nil, err
		}
		out = append(out, e)
	}
	return out, nil
}

// equalFold reports whether two values are the same text without regard to ASCII case.
func equalFold(a, b any) bool {
	x, ok1 := a.(string)
	y, ok2 := b.(string)
	return ok1 && ok2 && strings.EqualFold(lower(x), lower(y))
}
