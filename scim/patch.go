package scim

import (
	"maps"
	"slices"
	"strings"
)

// path names an attribute, a sub-attribute, or some values of an attribute.
type path struct {
	main, sub *attribute // nil if it is not kept
	filter    Filter     // nil for all values
}

// parsePath reads a path: name, name.sub, name[filter] or name[filter].sub.
func (t *Type) parsePath(text string) (path, error) {
	bad := refuse(InvalidPath, "The path %q cannot be read.", firstOf(text))
	if len(text) > maxFilter {
		return path{}, bad
	}
	p := &parser{rest: text, in: t, of: t.attributes}
	main, sub, ok := p.name()
	found := path{main: main, sub: sub}
	if !ok || p.rest == "" {
		if !ok {
			return path{}, bad
		}
		return found, nil
	}
	if p.rest[0] != '[' || sub != nil {
		return path{}, bad
	}
	p.of = nil
	if main != nil {
		p.of = main.subs
	}
	if found.filter, ok = p.inBrackets(']'); !ok {
		return path{}, bad
	}
	if p.rest == "" {
		return found, nil
	}
	name, dotted := strings.CutPrefix(p.rest, ".")
	if !dotted || name == "" || strings.ContainsFunc(name, func(r rune) bool { return r > 0x7f || !inWord(byte(r)) || r == '.' || r == ':' }) {
		return path{}, bad
	}
	if found.sub = main.sub(name); found.sub == nil {
		found.main = nil
	}
	return found, nil
}

// Patch applies the operations of a body, all or none.
func (t *Type) Patch(doc Doc, body []byte) (Doc, error) {
	members, err := object(body)
	if err != nil {
		return nil, err
	}
	operations, ok := member(members, "Operations").([]any)
	if !ok {
		return nil, refuse(InvalidSyntax, "Operations must be an array.")
	}
	out := doc.clone()
	for _, operation := range operations {
		o, ok := operation.(map[string]any)
		if !ok {
			return nil, refuse(InvalidSyntax, "An operation must be an object.")
		}
		if err := t.apply(out, o); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// clone copies a resource, so that a failed patch leaves the original as it was.
func (d Doc) clone() Doc {
	out := maps.Clone(d)
	for name, v := range out {
		switch v := v.(type) {
		case map[string]any:
			out[name] = maps.Clone(v)
		case []map[string]any:
			list := slices.Clone(v)
			for i := range list {
				list[i] = maps.Clone(list[i])
			}
			out[name] = list
		}
	}
	return out
}

// member returns the member with a name in any case.
func member(of map[string]any, name string) any {
	for have, v := range of {
		if strings.EqualFold(have, name) {
			return v
		}
	}
	return nil
}

func (t *Type) apply(d Doc, operation map[string]any) error {
	op, _ := member(operation, "op").(string)
	op = strings.ToLower(op)
	if op != "add" && op != "replace" && op != "remove" {
		return refuse(InvalidSyntax, "The op of an operation must be add, replace or remove.")
	}
	value := member(operation, "value")
	where := member(operation, "path")
	if where == nil {
		members, isObject := value.(map[string]any)
		switch {
		case op == "remove":
			return refuse(NoTarget, "An operation to remove needs a path.")
		case !isObject:
			return refuse(InvalidValue, "An operation without a path needs an object as its value.")
		}
		return t.merge(d, members, op)
	}
	text, isText := where.(string)
	if local, known := t.localName(text); isText && known && local == "" && text != "" {
		members, _ := value.(map[string]any)
		if op == "remove" {
			members = nil
			delete(d, "department")
		}
		return t.merge(d, members, op)
	}
	p, err := t.parsePath(text)
	switch {
	case !isText || err != nil:
		return refuse(InvalidPath, "The path %q cannot be read.", firstOf(text))
	case p.main == nil:
		return nil // not kept
	case op == "remove":
		return d.remove(p, value)
	case value == nil:
		return d.applyEmpty(p, op)
	}
	return d.set(p, value, op)
}

// applyEmpty carries out an operation to add or to replace that has no value.
func (d Doc) applyEmpty(p path, op string) error {
	switch {
	case p.main.name == "active":
		return refuse(InvalidValue, "active must be true or false.")
	case p.main.required || p.main.multi && op == "replace" || p.filter != nil:
		return refuse(InvalidValue, "%s needs a value.", p.main.name)
	case op == "add":
		return nil
	}
	return d.remove(p, nil)
}

// set changes an attribute.
func (d Doc) set(p path, value any, op string) error {
	a := p.main
	switch {
	case a.name == "id":
		if have, known := d["id"]; known && have != value {
			return refuse(Mutability, "The id cannot be changed.")
		}
		d["id"] = value
		return nil
	case a.readOnly:
		return nil
	case a.multi:
		return d.setValues(p, value, op)
	case p.filter != nil:
		return refuse(InvalidPath, "%s has one value and takes no filter.", a.name)
	case a.kind != complex:
		v, err := a.simple(value)
		d[a.name] = v
		return err
	}
	inner, _ := d[a.name].(map[string]any)
	if inner == nil {
		inner = map[string]any{}
	}
	d[a.name] = inner
	if p.sub != nil {
		v, err := p.sub.simple(value)
		inner[p.sub.name] = v
		return err
	}
	given, err := a.element(value)
	maps.Copy(inner, given)
	return err
}

// remove takes an attribute or some of its values away: all, those of a filter, or the given ones.
func (d Doc) remove(p path, given any) error {
	a := p.main
	if a.readOnly || a.required && p.filter == nil && (p.sub == nil || p.sub.required) || p.filter != nil && p.sub != nil && p.sub.required {
		return refuse(Mutability, "%s cannot be removed.", a.name)
	}
	switch {
	case !a.multi && p.sub == nil:
		delete(d, a.name)
	case !a.multi:
		inner, _ := d[a.name].(map[string]any)
		delete(inner, p.sub.name)
	default:
		return d.removeValues(p, given)
	}
	return nil
}

func (d Doc) removeValues(p path, given any) error {
	a := p.main
	matches := func(e map[string]any) bool { return p.filter == nil || p.filter.Matches(e) }
	if given != nil && p.filter == nil && p.sub == nil {
		elements, err := a.elements(given)
		if err != nil {
			return err
		}
		named := places(elements)
		matches = func(e map[string]any) bool { return named.has(e) }
	}
	var left []map[string]any
	for _, e := range elementsOf(d, a) {
		if matches(e) && p.sub != nil {
			delete(e, p.sub.name)
		} else if matches(e) {
			continue
		}
		left = append(left, e)
	}
	if len(left) == 0 && a.required {
		return refuse(Mutability, "The last of %s cannot be removed.", a.name)
	}
	if d[a.name] = left; len(left) == 0 {
		delete(d, a.name)
	}
	return nil
}
