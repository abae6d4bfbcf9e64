package scim

import (
	"maps"
	"slices"
)

// setValues changes an attribute with several values.
func (d Doc) setValues(p path, value any, op string) (err error) {
	list := elementsOf(d, p.main)
	if p.sub == nil && p.filter == nil {
		list, err = p.main.joined(list, value, op)
	} else {
		list, err = p.changed(list, value)
	}
	if d[p.main.name] = list; err == nil {
		err = p.main.check(len(list))
	}
	return err
}

// index is the places of values in a list, by the text in each without regard to ASCII case.
type index map[string]int

func places(list []map[string]any) index {
	at := index{}
	for i, e := range list {
		at.add(e, i)
	}
	return at
}

func (at index) add(e map[string]any, i int) {
	if value, is := e["value"].(string); is && !at.has(e) {
		at[lower(value)] = i
	}
}

func (at index) has(e map[string]any) bool {
	value, is := e["value"].(string)
	_, known := at[lower(value)]
	return is && known
}

// joined replaces values, or adds those that are not there yet.
func (a *attribute) joined(list []map[string]any, value any, op string) ([]map[string]any, error) {
	given, err := a.elements(value)
	if op == "replace" {
		list = nil
	}
	at := places(list)
	for _, e := range given {
		if op == "add" && at.has(e) {
			change(list, at[lower(e["value"].(string))], e)
			continue
		}
		at.add(e, len(list))
		list = append(list, map[string]any{})
		change(list, len(list)-1, e)
	}
	return list, err
}

// changed changes the values that fulfil the filter. Without one it adds a value of that kind.
func (p path) changed(list []map[string]any, value any) ([]map[string]any, error) {
	given, err := p.main.element(value)
	if p.sub != nil {
		var v any
		v, err = p.sub.simple(value)
		given = map[string]any{p.sub.name: v}
	}
	if err != nil {
		return list, err
	}
	found := false
	for i, e := range list {
		if p.filter == nil && i == selected(list) || p.filter != nil && p.filter.Matches(e) {
			found = true
			change(list, i, given)
		}
	}
	if !found {
		list = append(list, map[string]any{})
		wanted(p.filter, list[len(list)-1])
		change(list, len(list)-1, given)
	}
	return list, nil
}

// change sets the sub-attributes of a value. There is one primary value at most.
func change(list []map[string]any, at int, given map[string]any) {
	if given["primary"] == true {
		for _, e := range list {
			if e["primary"] == true {
				e["primary"] = false
			}
		}
	}
	maps.Copy(list[at], given)
}

// wanted sets what a filter demands of a value.
func wanted(f Filter, into map[string]any) {
	switch f := f.(type) {
	case both:
		wanted(f.left, into)
		wanted(f.right, into)
	case compared:
		if f.op == "eq" && f.main != nil {
			if v, err := f.main.simple(f.value); err == nil {
				into[f.main.name] = v
			}
		}
	}
}

// selected returns the place of the library's address among e-mail addresses: the primary one, else the one
// of type work, else the first; -1 for none.
func selected(emails []map[string]any) int {
	if at := slices.IndexFunc(emails, func(e map[string]any) bool { return e["primary"] == true }); at >= 0 {
		return at
	}
	if at := slices.IndexFunc(emails, func(e map[string]any) bool { return equalFold(e["type"], "work") }); at >= 0 {
		return at
	}
	return min(len(emails), 1) - 1
}
