package auth

import (
	"encoding/json"
	"fmt"
	"io/fs"
	"strings"
	"testing"

	"github.com/c2sp/wycheproof"

	"example.org/library/internal/testkit"
)

// vectorFile is a file of Project Wycheproof's vectors for JOSE.
type vectorFile struct {
	NumberOfTests int
	TestGroups    []struct {
		Comment string
		Public  json.RawMessage
		Private json.RawMessage
		Tests   []vector
	}
}

type vector struct {
	ID      int `json:"tcId"`
	Comment string
	Result  string
	JWS     json.RawMessage
}

// Vectors that are called valid and refused here all the same, by file and
// number, with the reason. Those for symmetric keys are not listed one by one:
// no such key is ever used.
var refusedByPolicy = map[string]map[int]string{
	"json_web_signature_test.json": {
		346: "the key is for PS256, the token is signed with PS384",
		347: "the key is for ES521, which is no algorithm",
		350: "the key is for PS256, the token is signed with PS384",
		351: "the key is for ES521, which is no algorithm",
	},
}

func TestWycheproofVectors(t *testing.T) {
	t.Parallel()
	for file, least := range map[string]int{
		"json_web_signature_test.json": 401,
		"json_web_key_test.json":       26,
	} {
		data, err := fs.ReadFile(wycheproof.TestVectors, file)
		testkit.NoError(t, err)
		var vectors vectorFile
		testkit.NoError(t, json.Unmarshal(data, &vectors))
		if vectors.NumberOfTests < least {
			t.Errorf("%s: %d vectors, there were %d", file, vectors.NumberOfTests, least)
		}
		for _, group := range vectors.TestGroups {
			key := group.Public
			if key == nil { // a symmetric one
				key = group.Private
			}
			set := keySetOf(key)
			for _, v := range group.Tests {
				t.Run(fmt.Sprintf("%s/%d %s %s", file, v.ID, group.Comment, v.Comment), func(t *testing.T) {
					t.Parallel()
					checkVector(t, v, set, refusedByPolicy[file][v.ID])
				})
			}
		}
	}
}

// keySetOf makes a key set of a group's key, which may be one already.
func keySetOf(keys json.RawMessage) string {
	if strings.Contains(string(keys), `"keys"`) {
		return string(keys)
	}
	return jwksOf(string(keys))
}

func checkVector(t *testing.T, v vector, set, exception string) {
	err := verifyVector(v.JWS, set)
	symmetric := strings.Contains(set, `"oct"`)
	switch {
	case v.Result != "valid" || symmetric:
		if err == nil {
			t.Error("accepted")
		}
	case exception != "":
		if err == nil {
			t.Errorf("accepted, but listed as refused: %s", exception)
		}
	case err != nil:
		t.Errorf("refused: %v", err)
	}
}

// verifyVector does with the vector what Bearer does with a token, except for the
// claims: the payloads of the vectors have none.
func verifyVector(jws json.RawMessage, set string) error {
	raw, ok := textOf(jws)
	if !ok {
		raw = string(jws) // JSON serialization, which is to be refused
	}
	keys, _, err := parseJWKS([]byte(set))
	if err != nil {
		return err
	}
	parsed, refusal := parseToken(raw)
	if refusal != nil {
		return refusal
	}
	if refusal := parsed.verify(keys); refusal != nil {
		return refusal
	}
	return nil
}
