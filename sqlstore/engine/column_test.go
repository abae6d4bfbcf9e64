package engine

import (
	"encoding/json"
	"slices"
	"testing"
)

func TestAListIsReadAsItWasWritten(t *testing.T) {
	for _, list := range [][]string{
		nil, {""}, {"", ""}, {"a"}, {"a", "b", "c"}, {`a","b`}, {`"`, `\`, `\"`}, {"[", "]", ","}, {"<&>", "\u2028", "é", "日本"}, {"a\nb", "\x00"},
	} {
		got, err := ParseList[string]([]byte(FormatList(list)))
		if err != nil || !slices.Equal(got, list) {
			t.Errorf("%q was read as %q (%v)", list, got, err)
		}
	}
	// Others may write it with spaces.
	for _, text := range []string{`[ "a", "b" ]`, `["a" , "b"]`, `["a", "b"]`, `["a" ]`} {
		var want []string
		if err := json.Unmarshal([]byte(text), &want); err != nil {
			t.Fatal(err)
		}
		if got, err := ParseList[string]([]byte(text)); err != nil || !slices.Equal(got, want) {
			t.Errorf("%s was read as %q (%v)", text, got, err)
		}
	}
	for _, text := range []string{`["a"`, `"a"]`, `["a""b"]`, `["a,"b"]`, `["`, `["]`} {
		if got, err := ParseList[string]([]byte(text)); err == nil {
			t.Errorf("%s was read as %q", text, got)
		}
	}
}
