package api_test

import (
	"bytes"
	"context"
	"encoding/json"
	"maps"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/google/go-cmp/cmp"

	"example.org/library/api"
	"example.org/library/internal/testkit"
)

func load(t *testing.T) *openapi3.T {
	t.Helper()
	doc, err := openapi3.NewLoader().LoadFromData(api.OpenAPI)
	if err != nil {
		t.Fatalf("openapi.yaml: %v", err)
	}
	return doc
}

func TestContractFileIsValidOpenAPI31(t *testing.T) {
	t.Parallel()
	doc := load(t)
	if !strings.HasPrefix(doc.OpenAPI, "3.1.") {
		t.Errorf("openapi: %s, want 3.1", doc.OpenAPI)
	}
	if err := doc.Validate(context.Background(), openapi3.EnableExamplesValidation(), openapi3.EnableSchemaFormatValidation()); err != nil {
		t.Error(err)
	}
}

// An example that its schema refuses would send a reader the wrong way.
func TestEveryExampleKeepsItsSchema(t *testing.T) {
	t.Parallel()
	doc := load(t)
	checked := 0
	check := func(where string, content openapi3.Content) {
		for kind, media := range content {
			for name, example := range media.Examples {
				checked++
				if err := media.Schema.Value.VisitJSON(example.Value.Value, openapi3.EnableJSONSchema2020()); err != nil {
					t.Errorf("%s, %s, example %s: %v", where, kind, name, err)
				}
			}
		}
	}
	for path, item := range doc.Paths.Map() {
		for method, operation := range item.Operations() {
			if body := operation.RequestBody; body != nil {
				check(method+" "+path, body.Value.Content)
			}
			for status, response := range operation.Responses.Map() {
				check(method+" "+path+" "+status, response.Value.Content)
			}
		}
	}
	if checked < 20 {
		t.Errorf("only %d examples were checked", checked)
	}
}

func TestEveryOperationCanBeRead(t *testing.T) {
	t.Parallel()
	seen := map[string]bool{}
	for path, item := range load(t).Paths.Map() {
		for method, operation := range item.Operations() {
			name := method + " " + path
			if operation.Summary == "" || operation.Description == "" || len(operation.Tags) != 1 {
				t.Errorf("%s: needs a summary, a description and one tag", name)
			}
			if operation.OperationID == "" || seen[operation.OperationID] {
				t.Errorf("%s: needs an operationId of its own", name)
			}
			seen[operation.OperationID] = true
			if !strings.HasPrefix(operation.Description, "For ") {
				t.Errorf("%s: the description must begin with whom it is for", name)
			}
		}
	}
}

// wire pairs each type with its schema.
var wire = map[string]any{
	"Book":         api.Book{},
	"ImportResult": api.ImportResult{},
	"Warning":      api.Warning{},
	"RowBook":      api.RowBook{},
	"TableImport":  api.TableImport{},
	"NextPart":     api.NextPart{},
	"Person":       api.Person{},
	"User":         api.User{},
	"Me":           api.Me{},
	"Error":        api.Error{},
	"Detail":       api.Detail{},
	"Change":       api.Change{},

	"OwnLoan":       api.OwnLoan{},
	"OwnHold":       api.OwnHold{},
	"BookRef":       api.BookRef{},
	"Copy":          api.Copy{},
	"CopyRef":       api.CopyRef{},
	"Loan":          api.Loan{},
	"Hold":          api.Hold{},
	"Reader":        api.Reader{},
	"Code":          api.Code{},
	"Visitor":       api.Visitor{},
	"StationBook":   api.StationBook{},
	"StationLoan":   api.StationLoan{},
	"StationReturn": api.StationReturn{},
	"Policy":        api.Policy{},
	"PolicyRule":    api.PolicyRule{},

	"EffectivePolicy": api.EffectivePolicy{},
	"RuledLimit":      api.RuledLimit{},
	"Statistics":      api.Statistics{},
	"Period":          api.Period{},
	"BookCount":       api.BookCount{},
	"NeverBorrowed":   api.NeverBorrowed{},
	"Export":          api.Export{},
}

func TestEveryFieldOfABookIsInTheContractFile(t *testing.T) {
	t.Parallel()
	doc := load(t)
	fields, required := membersOf(reflect.TypeFor[api.BookFields]())
	input := doc.Components.Schemas["BookInput"].Value
	want := slices.Sorted(slices.Values(append(fields, "identifier")))
	if diff := cmp.Diff(want, slices.Sorted(maps.Keys(input.Properties))); diff != "" {
		t.Errorf("BookInput (-type +schema)\n%s", diff)
	}
	if diff := cmp.Diff(required, input.Required); diff != "" {
		t.Errorf("BookInput: required members (-type +schema)\n%s", diff)
	}
	for _, schema := range []string{"Book", "RowBook"} {
		for _, name := range fields {
			if doc.Components.Schemas[schema].Value.Properties[name] == nil {
				t.Errorf("%s has no member %s", schema, name)
			}
		}
	}
}

func TestTypesAndSchemasHaveTheSameMembers(t *testing.T) {
	t.Parallel()
	doc := load(t)
	for name, value := range wire {
		schema := doc.Components.Schemas[name].Value
		if strict := schema.AdditionalProperties.Has; strict == nil || *strict {
			t.Errorf("%s: the schema must say additionalProperties: false", name)
		}
		var inSchema []string
		for property := range schema.Properties {
			inSchema = append(inSchema, property)
		}
		members, required := membersOf(reflect.TypeOf(value))
		slices.Sort(inSchema)
		if diff := cmp.Diff(members, inSchema); diff != "" {
			t.Errorf("%s: members (-type +schema)\n%s", name, diff)
		}
		switch name {
		case "Book":
			required = append(required, "kind") // which a book to be written may lack
		case "Loan":
			required = append(required, "identifier") // which a loan of a dry run lacks
		}
		slices.Sort(required)
		inRequired := slices.Sorted(slices.Values(schema.Required))
		if diff := cmp.Diff(required, inRequired); diff != "" {
			t.Errorf("%s: required members (-type +schema)\n%s", name, diff)
		}
	}
}

// membersOf returns the JSON members of a struct, and those that are always
// there.
func membersOf(typ reflect.Type) (all, required []string) {
	for i := range typ.NumField() {
		field := typ.Field(i)
		if field.Anonymous {
			a, r := membersOf(field.Type)
			all, required = append(all, a...), append(required, r...)
			continue
		}
		name, options, _ := strings.Cut(field.Tag.Get("json"), ",")
		all = append(all, name)
		if options == "" {
			required = append(required, name)
		}
	}
	slices.Sort(all)
	slices.Sort(required)
	return all, required
}

func TestAbsentValuesAreOmittedNeverNull(t *testing.T) {
	t.Parallel()
	// Members that are always there, and arrays.
	filled := map[string]any{
		"Visitor":       api.Visitor{Ready: []string{}},
		"Me":            api.Me{Authorities: []string{}},
		"TableImport":   api.TableImport{Results: []api.ImportResult{}},
		"Policy":        api.Policy{ClosedWeekdays: []string{}, ClosedDates: []string{}, OverdueDays: []int{}, Rules: []api.PolicyRule{}},
		"NeverBorrowed": api.NeverBorrowed{Books: []api.BookRef{}},
		"Export":        api.Export{Loans: []api.Loan{}, Holds: []api.Hold{}},
		"Statistics": api.Statistics{
			Periods: []api.Period{}, MostBorrowed: []api.BookCount{}, NeverBorrowed: api.NeverBorrowed{Books: []api.BookRef{}},
		},
	}
	for name, value := range wire {
		if full, ok := filled[name]; ok {
			value = full
		}
		b, err := json.Marshal(value)
		testkit.NoError(t, err)
		if bytes.Contains(b, []byte("null")) {
			t.Errorf("%s: %s", name, b)
		}
	}
}

func TestContractFileIsAboutTheProjectAlone(t *testing.T) {
	t.Parallel()
	for _, word := range []string{"TODO", "FIXME", "\t", "\r"} {
		if bytes.Contains(api.OpenAPI, []byte(word)) {
			t.Errorf("openapi.yaml contains %q", word)
		}
	}
}
