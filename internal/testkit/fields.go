package testkit

import (
	"reflect"
	"strings"
)

// FillFields gives every field of a struct its own value: a text is a prefix with the name
// of the field, a list has two texts, a number is a year, a field Language is the code of a
// language. It panics at a field of another kind, so no test misses a new field.
func FillFields(into any, prefix string) {
	v := reflect.ValueOf(into).Elem()
	language, kind, year := "en", "film", 2001
	if prefix == "old" {
		language, kind, year = "grc", "map", 801
	}
	for i := range v.NumField() {
		value := prefix + strings.ToLower(v.Type().Field(i).Name)
		switch field := v.Field(i).Addr().Interface().(type) {
		case *string:
			*field = value
			switch v.Type().Field(i).Name {
			case "Language":
				*field = language
			case "Kind":
				*field = kind
			}
		case *int:
			*field = year
		case *[]string:
			*field = []string{value + "1", value + "2"}
		default:
			panic("testkit: FillFields knows no " + v.Type().Field(i).Type.String())
		}
	}
}
