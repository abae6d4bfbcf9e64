package scim

import (
	"strings"
	"time"
)

type (
	either  struct{ left, right Filter }
	both    struct{ left, right Filter }
	negated struct{ of Filter }
	// within is a filter on one value of an attribute.
	within struct {
		main *attribute
		of   Filter
	}
	// compared is an attribute, an operator and a value.
	compared struct {
		main, sub *attribute
		op        string
		value     any
	}
)

// Matches reports whether one of the conditions is fulfilled.
func (f either) Matches(values map[string]any) bool {
	return f.left.Matches(values) || f.right.Matches(values)
}

// Matches reports whether both conditions are fulfilled.
func (f both) Matches(values map[string]any) bool {
	return f.left.Matches(values) && f.right.Matches(values)
}

// Matches reports whether the condition is not fulfilled.
func (f negated) Matches(values map[string]any) bool { return !f.of.Matches(values) }

// Matches reports whether one value of the attribute fulfils the condition.
func (f within) Matches(values map[string]any) bool {
	for _, element := range elementsOf(values, f.main) {
		if f.of.Matches(element) {
			return true
		}
	}
	return false
}

// Matches reports whether one value of the attribute compares so.
func (f compared) Matches(values map[string]any) bool {
	found := f.valuesIn(values)
	switch {
	case f.op == "pr":
		return len(found) > 0
	case f.value == nil:
		return (len(found) == 0) == (f.op == "eq") && (f.op == "eq" || f.op == "ne")
	case f.op == "ne":
		return !compared{f.main, f.sub, "eq", f.value}.Matches(values)
	}
	for _, v := range found {
		if compare(f.last(), f.op, v, f.value) {
			return true
		}
	}
	return false
}

// last returns the attribute whose values are compared, nil if it is not kept.
func (f compared) last() *attribute {
	if f.sub != nil {
		return f.sub
	}
	return f.main
}

func (f compared) valuesIn(values map[string]any) (found []any) {
	if f.main == nil {
		return nil
	}
	if f.sub == nil {
		if v, ok := values[f.main.name]; ok {
			return []any{v}
		}
		return nil
	}
	for _, element := range elementsOf(values, f.main) {
		if v, ok := element[f.sub.name]; ok {
			found = append(found, v)
		}
	}
	return found
}

// elementsOf returns the values of a complex attribute.
func elementsOf(values map[string]any, a *attribute) []map[string]any {
	if a == nil {
		return nil
	}
	switch v := values[a.name].(type) {
	case []map[string]any:
		return v
	case map[string]any:
		return []map[string]any{v}
	}
	return nil
}

func compare(a *attribute, op string, have, want any) bool {
	if b, is := have.(bool); is {
		other, ok := asBool(want)
		return ok && op == "eq" && b == other
	}
	x, isText := have.(string)
	y, isText2 := want.(string)
	if !isText || !isText2 {
		return false
	}
	if a.kind == date {
		at, err1 := time.Parse(time.RFC3339Nano, x)
		other, err2 := time.Parse(time.RFC3339Nano, y)
		if op != "co" && op != "sw" && op != "ew" {
			return err1 == nil && err2 == nil && ordered(op, at.Compare(other))
		}
	}
	if !a.exact {
		x, y = lower(x), lower(y)
	}
	switch op {
	case "co":
		return strings.Contains(x, y)
	case "sw":
		return strings.HasPrefix(x, y)
	case "ew":
		return strings.HasSuffix(x, y)
	}
	return ordered(op, strings.Compare(x, y))
}

func ordered(op string, order int) bool {
	switch op {
	case "eq":
		return order == 0
	case "gt":
		return order > 0
	case "ge":
		return order >= 0
	case "lt":
		return order < 0
	case "le":
		return order <= 0
	}
	return false
}

// asBool reads a boolean, or a string with one in any case.
func asBool(v any) (value, ok bool) {
	if b, is := v.(bool); is {
		return b, true
	}
	s, _ := v.(string)
	return strings.EqualFold(s, "true"), strings.EqualFold(s, "true") || strings.EqualFold(s, "false")
}

// lower puts ASCII letters into lower case.
func lower(s string) string {
	return strings.Map(func(r rune) rune {
		if 'A' <= r && r <= 'Z' {
			return r + 'a' - 'A'
		}
		return r
	}, s)
}

// Asks reports whether a filter looks at an attribute.
func Asks(f Filter, name string) bool {
	is := func(a *attribute) bool { return a != nil && a.name == name }
	switch f := f.(type) {
	case either:
		return Asks(f.left, name) || Asks(f.right, name)
	case both:
		return Asks(f.left, name) || Asks(f.right, name)
	case negated:
		return Asks(f.of, name)
	case within:
		return is(f.main)
	case compared:
		return is(f.main)
	}
	return false
}
