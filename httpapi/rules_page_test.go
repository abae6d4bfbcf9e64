package httpapi_test

import (
	"encoding/json"
	"os"
	"regexp"
	"strings"
	"testing"

	"example.org/library/api"
	"example.org/library/internal/testkit"
)

func TestThePoliciesOfTheRulesPageAreAccepted(t *testing.T) {
	t.Parallel()
	page, err := os.ReadFile("../docs/rules.md")
	testkit.NoError(t, err)
	examples := regexp.MustCompile("(?s)\n## ([^\n]+)\n[^#]*?```json\n(.*?)```").FindAllStringSubmatch(string(page), -1)
	if len(examples) != 5 {
		t.Fatalf("%d policies", len(examples))
	}
	var steps []step
	for _, example := range examples {
		var p api.Policy
		strict := json.NewDecoder(strings.NewReader(example[2]))
		strict.DisallowUnknownFields()
		if err := strict.Decode(&p); err != nil {
			t.Errorf("%s: %v", example[1], err)
			continue
		}
		steps = append(steps, step{
			rule: example[1], as: clarkKent, ask: "PUT /policy", body: example[2], status: 200,
			want: facts{"rules.length": len(p.Rules), "rules.0.name": p.Rules[0].Name, "loanDays": p.LoanDays},
		})
	}
	steps = append(steps,
		step{rule: "somebody new in the library of things", as: clarkKent, ask: "PUT /users/{wayne}", body: `{"email":"bruce.wayne@example.com","firstName":"Bruce","lastName":"Wayne","category":"New member"}`, status: 200},
		step{rule: "wants a drill", as: peterParker, ask: "PUT /books/{clean}", body: `{"title":"Drill","kind":"device"}`, status: 200},
		step{rule: "for three days, at the desk", as: bruceWayne, ask: "GET /policy/effective?book={clean}", status: 200, want: facts{
			"loanDays.value": 3, "loanDays.rule": "First things", "selfBorrow.value": false, "selfBorrow.rule": "Things",
			"maxLoansOfKinds.value": 1, "maxHoldsOfKinds.value": 2, "maxLoans.value": 6,
		}},
	)
	runSteps(t, steps)
}
