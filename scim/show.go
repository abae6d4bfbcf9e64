package scim

import (
	"maps"
	"strings"
)

// Selection is the attributes that a caller asks for.
type Selection struct {
	of      *Type
	all     bool
	wanted  []path // shown
	exclude []path // not shown
}

// ParseSelection reads the parameters attributes and excludedAttributes. If both are given, the first wins.
func (t *Type) ParseSelection(attributes, excluded string) Selection {
	if strings.TrimSpace(attributes) != "" {
		return Selection{of: t, wanted: t.paths(attributes)}
	}
	return Selection{of: t, all: true, exclude: t.paths(excluded)}
}

// paths reads names separated by commas. The identifier of a schema stands for all of its attributes. Names of
// attributes that are not kept do nothing.
func (t *Type) paths(list string) (out []path) {
	for name := range strings.SplitSeq(list, ",") {
		name = strings.TrimSpace(name)
		if local, known := t.localName(name); known && local == "" && name != "" {
			isExtension := len(name) >= len(Enterprise) && strings.EqualFold(name[:len(Enterprise)], Enterprise)
			for i := range t.attributes {
				if t.attributes[i].extension == isExtension {
					out = append(out, path{main: &t.attributes[i]})
				}
			}
			continue
		}
		if p, err := t.parsePath(name); err == nil && p.main != nil && p.filter == nil {
			out = append(out, p)
		}
	}
	return out
}

// shows reports whether a value is shown, and whether whole.
func (s Selection) shows(a, sub *attribute) bool {
	if a.hidden || sub != nil && sub.hidden {
		return false
	}
	if a.name == "id" {
		return true
	}
	in := func(list []path) bool {
		for _, p := range list {
			if p.main == a && (p.sub == nil || p.sub == sub) {
				return true
			}
		}
		return false
	}
	if s.all {
		return !in(s.exclude)
	}
	if sub != nil || len(a.subs) == 0 {
		return in(s.wanted)
	}
	for i := range a.subs {
		if s.shows(a, &a.subs[i]) {
			return true
		}
	}
	return false
}

// Shows reports whether an attribute is shown.
func (s Selection) Shows(name string) bool {
	a := find(s.of.attributes, name)
	return a != nil && s.shows(a, nil)
}

// Show returns a resource for the wire.
func (s Selection) Show(d Doc) map[string]any {
	schemas := s.of.schemas[:1:1]
	out := map[string]any{}
	for i := range s.of.attributes {
		a := &s.of.attributes[i]
		value, has := d[a.name]
		if !has || !s.shows(a, nil) {
			continue
		}
		switch v := value.(type) {
		case map[string]any:
			value = s.part(a, v)
		case []map[string]any:
			list := make([]map[string]any, len(v))
			for i, e := range v {
				list[i] = s.part(a, e)
			}
			value = list
		}
		if a.extension {
			schemas = append(schemas, Enterprise)
			out[Enterprise] = map[string]any{a.name: value}
		} else {
			out[a.name] = value
		}
	}
	out["schemas"] = schemas
	return out
}

// part returns the shown sub-attributes.
func (s Selection) part(a *attribute, value map[string]any) map[string]any {
	out := maps.Clone(value)
	maps.DeleteFunc(out, func(name string, _ any) bool {
		sub := a.sub(name)
		return sub == nil || !s.shows(a, sub)
	})
	return out
}
