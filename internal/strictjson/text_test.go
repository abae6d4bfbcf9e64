package strictjson_test

import (
	"encoding/json"
	"slices"
	"testing"

	"example.org/library/internal/strictjson"
)

func TestOnlyAStringIsAText(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]string{`"a"`: "a", `""`: "", `"\u0061\n"`: "a\n"} {
		if got, ok := strictjson.Text(json.RawMessage(in)); !ok || got != want {
			t.Errorf("%s: %q, %v", in, got, ok)
		}
	}
	for _, in := range []string{"", "null", "1", "true", `["a"]`, `{"a":1}`, `"a`} {
		if got, ok := strictjson.Text(json.RawMessage(in)); ok {
			t.Errorf("%q is taken for the text %q", in, got)
		}
	}
}

func TestOnlyAnArrayOfStringsIsTexts(t *testing.T) {
	t.Parallel()
	if got, ok := strictjson.Texts(json.RawMessage(`[ "a", "b c" ]`)); !ok || !slices.Equal(got, []string{"a", "b c"}) {
		t.Errorf("%q, %v", got, ok)
	}
	if got, ok := strictjson.Texts(json.RawMessage(`[]`)); !ok || len(got) != 0 {
		t.Errorf("%q, %v", got, ok)
	}
	for _, in := range []string{"", "null", `"a"`, `["a",1]`, `["a",null]`, `[["a"]]`, `{"a":1}`, `["a"`} {
		if got, ok := strictjson.Texts(json.RawMessage(in)); ok {
			t.Errorf("%q is taken for the texts %q", in, got)
		}
	}
}
