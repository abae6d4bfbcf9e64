package testkit

import (
	"reflect"
	"strings"
)

// FillFields gives every field of a struct a value of its own: texts are the name of
// the field after a prefix, lists have two of them, numbers are years, and what is called
// Language is the code of one. It panics at a field of another
// kind, so that a test which relies on it looks at every field there is.
func FillFields(into any, prefix string) {
	v := reflect.ValueOf(into).Elem()
	language, year := "en", 2001
	if prefix == "old" {
		language, year = "grc", 801
	}
	for i := range v.NumField() {
		value := prefix + strings.ToLower(v.Type().Field(i).Name)
		switch field := v.Field(i).Addr().Interface().(type) {
		case *string:
			*field = value
			if v.Type().Field(i).Name == "Language" {
				*field = language
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
