package strictjson_test

import (
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"

	"example.org/library/internal/strictjson"
	"example.org/library/internal/testkit"
)

func TestElementsAreHandedOutAsTheyAre(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		in   string
		want []string
	}{
		"none":                  {` [ ] `, nil},
		"one":                   {`[1]`, []string{"1"}},
		"white space around":    {"\r\n[ 1 ,\t\"a\" ]\n", []string{"1", `"a"`}},
		"every kind":            {`[null,true,-1e3,"",[],{}]`, []string{"null", "true", "-1e3", `""`, "[]", "{}"}},
		"commas further in":     {`[[1,2],{"a":1,"b":[3,4]},",",5]`, []string{"[1,2]", `{"a":1,"b":[3,4]}`, `","`, "5"}},
		"brackets in strings":   {`["]","[,\"}",{"]":"["}]`, []string{`"]"`, `"[,\"}"`, `{"]":"["}`}},
		"duplicates further in": {`[{"a":1,"a":2}]`, []string{`{"a":1,"a":2}`}},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			elements, err := strictjson.Array([]byte(tt.in), 6)
			testkit.NoError(t, err)
			var got []string
			for _, e := range elements {
				got = append(got, string(e))
			}
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("elements (-want +got)\n%s", diff)
			}
		})
	}
}

func TestWhatIsNoArrayOrTooLongIsRefused(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]error{
		"":                strictjson.ErrSyntax,
		" ":               strictjson.ErrSyntax,
		"[":               strictjson.ErrSyntax,
		"[1,]":            strictjson.ErrSyntax,
		"[1] 2":           strictjson.ErrSyntax,
		"[1]]":            strictjson.ErrSyntax,
		"[\"\xff\"]":      strictjson.ErrSyntax,
		"\uFEFF[]":        strictjson.ErrSyntax,
		"{}":              strictjson.ErrNotArray,
		"null":            strictjson.ErrNotArray,
		`"[]"`:            strictjson.ErrNotArray,
		"[1,2,3]":         strictjson.ErrTooMany,
		"[[],[],[],[]]":   strictjson.ErrTooMany,
		`[{},"a",[1],{}]`: strictjson.ErrTooMany,
	} {
		if _, err := strictjson.Array([]byte(in), 2); !errors.Is(err, want) {
			t.Errorf("%q: got error %v, want %v", in, err, want)
		}
	}
}
