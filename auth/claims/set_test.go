package claims_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp/cmpopts"

	"example.org/library/auth/claims"
	"example.org/library/internal/testkit"
)

func TestAClaimIsLookedUpAsItIsThenAsAPath(t *testing.T) {
	t.Parallel()
	const found, missing, unusable = claims.Found, claims.Missing, claims.Unusable
	for rule, c := range map[string]struct {
		payload, name string
		want          []string
		finding       claims.Finding
	}{
		"a text":                                 {`{"scp":"a b  c"}`, "scp", []string{"a", "b", "c"}, found},
		"an array of texts":                      {`{"roles":["a","b c"]}`, "roles", []string{"a", "b c"}, found},
		"a name with a colon":                    {`{"cognito:groups":["a"]}`, "cognito:groups", []string{"a"}, found},
		"a name with dots and slashes":           {`{"https://example.org/roles":["a"]}`, "https://example.org/roles", []string{"a"}, found},
		"the members of an object, sorted":       {`{"r":{"b":{"1":"x"},"a":null}}`, "r", []string{"a", "b"}, found},
		"a path through an object":               {`{"realm_access":{"roles":["a"]}}`, "realm_access.roles", []string{"a"}, found},
		"a path through objects":                 {`{"a":{"b":{"c":"x y"}}}`, "a.b.c", []string{"x", "y"}, found},
		"a path to an object":                    {`{"a":{"b":{"x":{}}}}`, "a.b", []string{"x"}, found},
		"a path through an array of objects":     {`{"a":[{"r":["x"]},{"r":"y z"},{"s":1}]}`, "a.r", []string{"x", "y", "z"}, found},
		"a path through arrays in objects":       {`{"a":[{"b":[{"c":"x"},{"c":"y"}]}]}`, "a.b.c", []string{"x", "y"}, found},
		"a path to an element":                   {`{"a":[{"r":"x"},{"r":"y"}]}`, "a.1.r", []string{"y"}, found},
		"a path to an element that is not there": {`{"a":[{"r":"x"}]}`, "a.1.r", nil, missing},
		"the whole name before a path":           {`{"a.b":"whole","a":{"b":"path"}}`, "a.b", []string{"whole"}, found},
		"an unusable whole name, and no path":    {`{"a.b":1,"a":{"b":"path"}}`, "a.b", nil, unusable},
		"a null under the whole name":            {`{"a.b":null,"a":{"b":"path"}}`, "a.b", nil, unusable},
		"an empty text":                          {`{"a":""}`, "a", nil, found},
		"an empty array":                         {`{"a":[]}`, "a", nil, found},
		"no such claim":                          {`{"A":"x"}`, "a", nil, missing},
		"no such member":                         {`{"a":{"B":"x"}}`, "a.b", nil, missing},
		"a path that ends early":                 {`{"a":"x"}`, "a.b", nil, missing},
		"a path with an empty step":              {`{"a":{"b":"x"}}`, "a..b", nil, missing},
		"a path of dots":                         {`{"a":{"b":"x"}}`, "...", nil, missing},
		"a member whose name is empty":           {`{"a":{"":"x"}}`, "a.", []string{"x"}, found},
		"a number":                               {`{"a":1}`, "a", nil, unusable},
		"a boolean":                              {`{"a":true}`, "a", nil, unusable},
		"an array with a number":                 {`{"a":["x",1]}`, "a", nil, unusable},
		"an array with null":                     {`{"a":["x",null]}`, "a", nil, unusable},
		"an array in an array":                   {`{"a":[["x"]]}`, "a", nil, unusable},
		"an array of objects":                    {`{"a":[{"x":1}]}`, "a", nil, unusable},
		"a path through an array of arrays":      {`{"a":[[{"r":"x"}]]}`, "a.r", nil, unusable},
		"a path through an array with a text":    {`{"a":[{"r":"x"},"r"]}`, "a.r", nil, unusable},
		"one bad element spoils the others":      {`{"a":[{"r":"x"},{"r":1}]}`, "a.r", nil, unusable},
		"escaped names are the same names":       {`{"\u0061":{"\u0062":"x"}}`, "a.b", []string{"x"}, found},
		"white space around values":              {"{ \"a\" : { \"b\" : [ \"x\" ] } }", "a.b", []string{"x"}, found},
	} {
		t.Run(rule, func(t *testing.T) {
			t.Parallel()
			set, err := claims.Parse([]byte(c.payload))
			testkit.NoError(t, err)
			values, finding := set.Values(c.name)
			testkit.Equal(t, finding, c.finding)
			testkit.Diff(t, c.want, values, cmpopts.EquateEmpty())
		})
	}
}

func TestClaimsThatTwoReadersReadDifferentlyAreNone(t *testing.T) {
	t.Parallel()
	deep := strings.Repeat(`{"a":`, 100) + "1" + strings.Repeat("}", 100)
	for _, payload := range []string{`{"a":1,"a":2}`, `{"r":{"x":1,"x":2}}`, `{"r":[{"x":1,"\u0078":2}]}`, deep, "[]", "{}x", ""} {
		if set, err := claims.Parse([]byte(payload)); err == nil {
			t.Errorf("%.40s was read: %d claims", payload, len(set))
		}
	}
}

func TestGroupsThatAreElsewhereGiveNothing(t *testing.T) {
	t.Parallel()
	for rule, c := range map[string]struct {
		payload, name string
		want          claims.Finding
	}{
		"the claim is named":               {`{"_claim_names":{"groups":"src1"},"_claim_sources":{"src1":{"endpoint":"https://x"}}}`, "groups", claims.Elsewhere},
		"the claim is there, too":          {`{"_claim_names":{"groups":"src1"},"groups":["a"]}`, "groups", claims.Elsewhere},
		"the beginning of a path is named": {`{"_claim_names":{"a":"src1"}}`, "a.b", claims.Elsewhere},
		"the whole name is there":          {`{"_claim_names":{"a":"src1"},"a.b":"x"}`, "a.b", claims.Found},
		"another claim is named":           {`{"_claim_names":{"roles":"src1"},"groups":["a"]}`, "groups", claims.Found},
		"it is no object":                  {`{"_claim_names":["groups"],"groups":["a"]}`, "groups", claims.Found},
		"hasgroups":                        {`{"hasgroups":true}`, "groups", claims.Elsewhere},
		"hasgroups is not about roles":     {`{"hasgroups":true}`, "roles", claims.Missing},
		"hasgroups, and there they are":    {`{"hasgroups":true,"groups":["a"]}`, "groups", claims.Found},
	} {
		t.Run(rule, func(t *testing.T) {
			t.Parallel()
			set, err := claims.Parse([]byte(c.payload))
			testkit.NoError(t, err)
			_, finding := set.Values(c.name)
			testkit.Equal(t, finding, c.want)
		})
	}
}

// TestALookUpIsLinear gives a document twice as long twice the work, or a little more.
func TestALookUpIsLinear(t *testing.T) {
	hostile := map[string]func(n int) string{
		"many members":   func(n int) string { return `{"a":{"b":{` + manyMembers(n) + `}}}` },
		"many elements":  func(n int) string { return `{"a":[` + strings.Repeat(`{"b":"x"},`, n) + `{"b":"x"}]}` },
		"nested arrays":  func(n int) string { return `{"a":[` + strings.Repeat(`[["x"]],`, n) + `{"b":"x"}]}` },
		"a long text":    func(n int) string { return `{"a":{"b":"` + strings.Repeat("x ", n) + `"}}` },
		"a path into it": func(n int) string { return `{"a":{"b":{"c":[` + strings.Repeat(`"x",`, n) + `1]}}}` },
	}
	for name, document := range hostile {
		for _, claim := range []string{"a.b", "a.b.c.d.e.f.g", "a.0.b"} {
			small, large := allocated(t, document(2_000), claim), allocated(t, document(20_000), claim)
			if large > 20*small+1_000 {
				t.Errorf("%s, %s: ten times the length takes %.0f allocations instead of %.0f", name, claim, large, small)
			}
		}
	}
}

func manyMembers(n int) string {
	members := make([]string, n)
	for i := range members {
		members[i] = fmt.Sprintf(`"m%d":1`, i)
	}
	return strings.Join(members, ",")
}

func allocated(t *testing.T, document, claim string) float64 {
	t.Helper()
	set, err := claims.Parse([]byte(document))
	testkit.NoError(t, err)
	return testing.AllocsPerRun(1, func() { set.Values(claim) })
}

// FuzzValues: a look-up never fails, and gives only texts that are in the document.
func FuzzValues(f *testing.F) {
	for _, payload := range []string{
		`{"realm_access":{"roles":["a"]}}`, `{"a.b":1,"a":{"b":"x"}}`, `{"a":[{"b":"x"},[1],null]}`, `{"_claim_names":{"a":"x"},"a":["y"]}`, `{"a":{"":{"b":[""]}}}`,
	} {
		f.Add(payload, "a.b")
		f.Add(payload, "realm_access.roles")
		f.Add(payload, "..")
	}
	f.Fuzz(func(t *testing.T, payload, name string) {
		set, err := claims.Parse([]byte(payload))
		if err != nil {
			return
		}
		values, finding := set.Values(name)
		if finding != claims.Found && len(values) > 0 {
			t.Errorf("%q of %s: %q with finding %d", name, payload, values, finding)
		}
		total := 0
		for _, value := range values {
			total += len(value)
		}
		if total > 3*len(payload) || len(values) > len(payload) {
			t.Errorf("%q of %s: %q", name, payload, values)
		}
		if again, _ := set.Values(name); len(again) != len(values) {
			t.Errorf("%q, then %q", values, again)
		}
		claims.Mapping{AuthoritiesClaim: name}.AuthoritiesOf(set)
	})
}
