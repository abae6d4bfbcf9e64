package strictjson_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"example.org/library/internal/strictjson"
	"example.org/library/internal/testkit"
)

func TestMembersAreHandedOutUnderTheirExactNames(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		in   string
		want map[string]string
	}{
		"an empty object":               {`{}`, map[string]string{}},
		"white space around everything": {" \t\r\n{ \"a\" : 1 , \"b\" :\n[ 2 ] } \n", map[string]string{"a": "1", "b": "[ 2 ]"}},
		"names differing in case":       {`{"exp":1,"EXP":2}`, map[string]string{"exp": "1", "EXP": "2"}},
		"an escaped name":               {`{"\u0065xp":1}`, map[string]string{"exp": "1"}},
		"an escaped quote in a name":    {`{"a\"b\\":1}`, map[string]string{`a"b\`: "1"}},
		"an empty name":                 {`{"":null}`, map[string]string{"": "null"}},
		"a paired surrogate":            {`{"\ud83d\ude00":"\uD83D\uDE00"}`, map[string]string{"😀": `"\uD83D\uDE00"`}},
		"an escaped backslash before u": {`{"a":"\\ud800"}`, map[string]string{"a": `"\\ud800"`}},
		"punctuation inside strings":    {`{"a":"},{\":[","b":2}`, map[string]string{"a": `"},{\":["`, "b": "2"}},
		"one name at several depths":    {`{"a":{"a":[{"a":1},{"a":2}]},"b":{"a":1}}`, map[string]string{"a": `{"a":[{"a":1},{"a":2}]}`, "b": `{"a":1}`}},
		"a string equal to a name":      {`{"a":["a","a"],"b":"a"}`, map[string]string{"a": `["a","a"]`, "b": `"a"`}},
		"a value after nested ones":     {`{"a":[{}],"b":{"c":{}},"d":-1.5e+3}`, map[string]string{"a": "[{}]", "b": `{"c":{}}`, "d": "-1.5e+3"}},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			members, err := strictjson.Object([]byte(tt.in))
			testkit.NoError(t, err)
			got := map[string]string{}
			for name, value := range members {
				got[name] = string(value)
			}
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestADocumentThatTwoReadersCouldReadDifferentlyIsRefused(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		in   string
		want error
	}{
		"nothing":                         {"", strictjson.ErrSyntax},
		"white space only":                {" \n", strictjson.ErrSyntax},
		"a byte order mark":               {"\uFEFF{}", strictjson.ErrSyntax},
		"an array":                        {`[{}]`, strictjson.ErrNotObject},
		"a string":                        {` "{}"`, strictjson.ErrNotObject},
		"null":                            {`null`, strictjson.ErrNotObject},
		"a second object after it":        {`{} {}`, strictjson.ErrSyntax},
		"a zero byte after it":            {"{}\x00", strictjson.ErrSyntax},
		"a comment":                       {`{/* */}`, strictjson.ErrSyntax},
		"a trailing comma":                {`{"a":1,}`, strictjson.ErrSyntax},
		"a bare name":                     {`{a:1}`, strictjson.ErrSyntax},
		"single quotes":                   {`{'a':1}`, strictjson.ErrSyntax},
		"an unclosed object":              {`{"a":1`, strictjson.ErrSyntax},
		"a number with a leading zero":    {`{"a":01}`, strictjson.ErrSyntax},
		"NaN":                             {`{"a":NaN}`, strictjson.ErrSyntax},
		"a line break in a string":        {"{\"a\":\"\n\"}", strictjson.ErrSyntax},
		"broken UTF-8":                    {"{\"a\":\"\xff\"}", strictjson.ErrSyntax},
		"a surrogate in raw bytes":        {"{\"a\":\"\xed\xa0\x80\"}", strictjson.ErrSyntax},
		"a lone high surrogate":           {`{"a":"\ud800"}`, strictjson.ErrSyntax},
		"a lone low surrogate":            {`{"a":"\udc00"}`, strictjson.ErrSyntax},
		"surrogates the wrong way around": {`{"a":"\udc00\ud800"}`, strictjson.ErrSyntax},
		"two high surrogates":             {`{"a":"\ud800\ud800"}`, strictjson.ErrSyntax},
		"a lone surrogate in a name":      {`{"\ud800":1}`, strictjson.ErrSyntax},
		"a lone surrogate deep inside":    {`{"a":[{"b":"x\ud800y"}]}`, strictjson.ErrSyntax},
		"65 levels":                       {`{"a":` + strings.Repeat("[", 64) + strings.Repeat("]", 64) + `}`, strictjson.ErrTooDeep},
		"100,000 levels":                  {`{"a":` + strings.Repeat("[", 1e5) + strings.Repeat("]", 1e5) + `}`, strictjson.ErrSyntax},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			members, err := strictjson.Object([]byte(tt.in))
			if !errors.Is(err, tt.want) || members != nil {
				t.Errorf("got %v, %v; want %v", members, err, tt.want)
			}
		})
	}
}

func TestADuplicateMemberIsNamed(t *testing.T) {
	t.Parallel()
	tests := map[string]struct{ in, want string }{
		"side by side":           {`{"a":1,"a":1}`, "a"},
		"apart":                  {`{"a":1,"b":{"a":2},"a":3}`, "a"},
		"one of them escaped":    {`{"exp":1,"\u0065xp":2}`, "exp"},
		"both escaped":           {`{"\u0041":1,"\u0041":2}`, "A"},
		"inside an object":       {`{"a":{"b":1,"b":2}}`, "b"},
		"inside an array":        {`{"a":[1,{"b":1,"c":[],"b":2}]}`, "b"},
		"the empty name":         {`{"":1,"":2}`, ""},
		"a surrogate pair":       {`{"😀":1,"\ud83d\ude00":2}`, "😀"},
		"with white space":       {"{\"a\" : 1 ,\n\"a\"\t: 2}", "a"},
		"objects as values":      {`{"a":{},"a":{}}`, "a"},
		"escaped slash or plain": {`{"a/b":1,"a\/b":2}`, "a/b"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, err := strictjson.Object([]byte(tt.in))
			var duplicate *strictjson.DuplicateError
			if !errors.As(err, &duplicate) || duplicate.Name != tt.want {
				t.Errorf("got %v, want the duplicate %q", err, tt.want)
			}
		})
	}
}

func TestNestingUpToTheLimitIsFine(t *testing.T) {
	t.Parallel()
	in := `{"a":` + strings.Repeat("[", strictjson.MaxDepth-1) + strings.Repeat("]", strictjson.MaxDepth-1) + `}`
	if _, err := strictjson.Object([]byte(in)); err != nil {
		t.Error(err)
	}
}

// Whatever Object accepts, encoding/json must accept and see the same in it.
func FuzzObject(f *testing.F) {
	for _, seed := range []string{
		`{}`, ` {"a":{"a":[1,"x",{}]},"b":null} `, `{"a":1,"\u0061":2}`, `{"a":"\ud83d\ude00\ud800"}`,
		`[]`, `{"a":"\\\""}`, "{\"a\":\"\xff\"}", `{"a":[[[{"b":{}}]]],"":-0.1e-2}`, "\uFEFF{}", `{"a" :1,"a" : 2}`,
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		members, err := strictjson.Object(data)
		if err != nil {
			return
		}
		var want map[string]json.RawMessage
		if err := json.Unmarshal(data, &want); err != nil {
			t.Fatalf("accepted what encoding/json refuses: %v", err)
		}
		if diff := cmp.Diff(want, members, cmp.Comparer(bytes.Equal)); diff != "" {
			t.Error(diff)
		}
	})
}
