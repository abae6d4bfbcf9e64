package books

import (
	"encoding/json"
	"net/http"
	"testing"

	"example.org/library"
	"example.org/library/api"
	"example.org/library/cli/clitest"
	"example.org/library/cli/command"
	"example.org/library/client"
	"example.org/library/internal/testkit"
	"example.org/library/internal/validation"
)

// incomplete answers that an import broke off.
func incomplete(w http.ResponseWriter, details ...api.Detail) bool {
	w.WriteHeader(http.StatusServiceUnavailable)
	_ = json.NewEncoder(w).Encode(api.Error{Status: 503, Code: library.ErrImportBrokeOff.Code, Message: "It broke off.", Details: details})
	return true
}

func rowsDone(n int) api.Detail {
	return api.Detail{Field: "rows", Code: string(validation.CodeRowsDone), Limit: n}
}

func rowsOutcome(outcome string, n int) api.Detail {
	return api.Detail{Field: outcome, Code: string(validation.CodeRowsOutcome), Limit: n}
}

// unchangedThenAdded is the answer for a batch of which the first rows are there.
func unchangedThenAdded(w http.ResponseWriter, unchanged, added int) bool {
	results := make([]api.ImportResult, unchanged+added)
	for i := range results {
		results[i].Outcome = client.Added
		if i < unchanged {
			results[i].Outcome = client.Unchanged
		}
	}
	_ = json.NewEncoder(w).Encode(results)
	return true
}

func TestAnImportThatBreaksOffCountsWhatItHasDone(t *testing.T) {
	t.Parallel()
	unavailable := func(w http.ResponseWriter) bool {
		return clitest.Refuse(w, http.StatusServiceUnavailable, "unavailable", "Not now.")
	}
	for _, c := range []struct {
		rule   string
		answer func(request int, w http.ResponseWriter) bool
		code   int
		out    string
		says   string
	}{
		{"the rest is done at the next try", func(request int, w http.ResponseWriter) bool {
			switch request {
			case 2:
				return incomplete(w, rowsDone(394), rowsOutcome(client.Added, 390), rowsOutcome(client.Unchanged, 4))
			case 3:
				return unchangedThenAdded(w, 394, 106)
			}
			return false
		}, command.ExitOK, "Added 996, updated 0, unchanged 4, different 0, failed 0.\n", "It broke off. Trying again"},
		{"rows that both tries have updated count once", func(request int, w http.ResponseWriter) bool {
			switch request {
			case 2:
				return incomplete(w, rowsDone(394), rowsOutcome(client.Added, 200), rowsOutcome(client.Updated, 37), rowsOutcome(client.Unchanged, 157))
			case 3:
				results := make([]api.ImportResult, 500)
				for i := range results {
					if results[i].Outcome = client.Unchanged; i < 37 {
						results[i].Outcome = client.Updated
					}
				}
				return json.NewEncoder(w).Encode(results) == nil
			}
			return false
		}, command.ExitOK, "Added 700, updated 37, unchanged 263, different 0, failed 0.\n", "It broke off. Trying again"},
		{"it is given up", func(request int, w http.ResponseWriter) bool {
			switch request {
			case 2:
				return incomplete(w, rowsDone(200), rowsOutcome(client.Added, 198), rowsOutcome(client.Updated, 2))
			case 3:
				return incomplete(w, rowsDone(394), rowsOutcome(client.Added, 193), rowsOutcome(client.Unchanged, 200), rowsOutcome(client.Invalid, 1),
					api.Detail{Field: "rows", Code: string(validation.CodeRowsUnknown), Limit: 100})
			case 4, 5, 6:
				return unavailable(w)
			}
			return false
		}, command.ExitFailed, "Added 891, updated 2, unchanged 0, different 0, failed 1.\n",
			"Stopped at line 896 of books.csv; the lines before it are done. Of the next 100 rows nobody knows. Run the same command again"},
	} {
		t.Run(c.rule, func(t *testing.T) {
			t.Parallel()
			s := startImportService(t, c.answer)
			code, stdout, stderr := s.runImport(t.Context(), t, "books.csv", csvOf(1000, "a"), "--update")
			if (code == command.ExitOK) != (c.code == command.ExitOK) || stdout != c.out {
				t.Errorf("exit code %d: %s", code, stdout)
			}
			testkit.Contains(t, stderr, c.says)
		})
	}
}
