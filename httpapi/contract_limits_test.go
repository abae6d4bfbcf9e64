package httpapi_test

import (
	"testing"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/google/go-cmp/cmp"

	"example.org/library"
	"example.org/library/internal/testkit"
	"example.org/library/statistics"
)

// Answers and requests have the same limits: each is defined once, in the domain.
func TestContractNamesTheLimitsOfLending(t *testing.T) {
	t.Parallel()
	c, err := theContract()
	testkit.NoError(t, err)
	schema := func(name, property string) *openapi3.Schema {
		s := c.doc.Components.Schemas[name].Value
		for _, part := range s.AllOf {
			if part.Value.Properties[property] != nil {
				s = part.Value
			}
		}
		if s.Properties[property] == nil {
			t.Fatalf("%s has no member %s", name, property)
		}
		return s.Properties[property].Value
	}
	for _, text := range []struct {
		schema, property string
		most             int
	}{
		{"Copy", "barcode", library.MaxBarcode}, {"CopyInput", "barcode", library.MaxBarcode}, {"LoanInput", "barcode", library.MaxBarcode},
		{"User", "card", library.MaxBarcode}, {"UserInput", "card", library.MaxBarcode}, {"Reader", "card", library.MaxBarcode},
		{"Copy", "shelf", library.MaxShelf}, {"CopyInput", "shelf", library.MaxShelf},
		{"Copy", "note", library.MaxNote}, {"CopyInput", "note", library.MaxNote},
		{"BookRef", "title", library.MaxTitle},
	} {
		if most := schema(text.schema, text.property).MaxLength; most == nil || *most != uint64(text.most) {
			t.Errorf("%s.%s: the contract does not say maxLength: %d", text.schema, text.property, text.most)
		}
	}
	within := func(where string, s *openapi3.Schema, least, most int) {
		if s.Min == nil || *s.Min != float64(least) || s.Max == nil || *s.Max != float64(most) {
			t.Errorf("%s: the contract does not say from %d to %d", where, least, most)
		}
	}
	within("copies", schema("NewBookInput", "copies"), 0, library.MaxCopies)
	for _, name := range []string{"Policy", "PolicyInput"} {
		within(name+".loanDays", schema(name, "loanDays"), 0, library.MaxLoanDays)
		within(name+".renewals", schema(name, "renewals"), 0, library.MaxRenewals)
		within(name+".maxLoans", schema(name, "maxLoans"), 0, library.MaxOfPerson)
		within(name+".maxHolds", schema(name, "maxHolds"), 0, library.MaxOfPerson)
		within(name+".holdDays", schema(name, "holdDays"), 1, library.MaxHoldDays)
		within(name+".historyDays", schema(name, "historyDays"), 0, library.MaxHistoryDays)
		within(name+".dueSoonDays", schema(name, "dueSoonDays"), 0, library.MaxDueSoonDays)
		within(name+".overdueDays", schema(name, "overdueDays").Items.Value, 1, library.MaxOverdueDays)
		if dates, reminders := schema(name, "closedDates").MaxItems, schema(name, "overdueDays").MaxItems; *dates != library.MaxClosedDates || *reminders != library.MaxReminders {
			t.Errorf("%s: at most %d closed dates and %d reminders, want %d and %d", name, *dates, *reminders, library.MaxClosedDates, library.MaxReminders)
		}
	}
	if most := schema("Statistics", "periods").MaxItems; *most != statistics.MaxPeriods {
		t.Errorf("at most %d periods, want %d", *most, statistics.MaxPeriods)
	}
}

// Words that a record can have in a member are those of the domain.
func TestContractNamesTheWordsOfLending(t *testing.T) {
	t.Parallel()
	c, err := theContract()
	testkit.NoError(t, err)
	schemas, parameters := c.doc.Components.Schemas, c.doc.Components.Parameters
	for _, list := range []struct {
		where  string
		schema *openapi3.Schema
		want   []string
	}{
		{"CopyState", schemas["CopyState"].Value, words(library.CopyStates)},
		{"HoldState", schemas["HoldState"].Value, words([]library.HoldState{library.Waiting, library.Ready, library.Fulfilled, library.Cancelled, library.Expired})},
		{"Locale", schemas["Locale"].Value, library.Locales},
		{"LoanState", parameters["LoanState"].Value.Schema.Value, words(library.LoanFilters)},
		{"HoldState", parameters["HoldState"].Value.Schema.Value, words(library.HoldFilters)},
		{"Interval", parameters["Interval"].Value.Schema.Value, words(statistics.Intervals)},
	} {
		var listed []string
		for _, word := range list.schema.Enum {
			listed = append(listed, word.(string))
		}
		if diff := cmp.Diff(list.want, listed); diff != "" {
			t.Errorf("%s (-domain +contract)\n%s", list.where, diff)
		}
	}
}

func words[W ~string](list []W) []string {
	out := make([]string, len(list))
	for i, w := range list {
		out[i] = string(w)
	}
	return out
}
