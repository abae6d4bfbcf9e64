package httpapi

import (
	"net/http"
	"strings"
	"testing"

	"example.org/library"
)

func TestEveryRouteSaysWhoMayAskAndWhatWorkItIs(t *testing.T) {
	t.Parallel()
	for _, r := range new(Server).routes() {
		name := r.method + " " + r.pattern
		if r.permission < library.Begin || r.permission > library.Serve || r.handle == nil {
			t.Errorf("%s has no permission or no handler", name)
		}
		// An import is many changes, and one import runs at a time. A test mail changes nothing, nor does a card or a trial.
		wantsChange := r.method != http.MethodGet && !strings.HasPrefix(r.pattern, "/imports/") && r.pattern != "/notices/test" && r.pattern != "/station/readers" && r.pattern != "/policy/trial"
		switch r.work {
		case bounded, reads, readsUncached:
			if wantsChange {
				t.Errorf("%s is not said to make a change", name)
			}
		case changes, changesOwn:
			if !wantsChange {
				t.Errorf("%s is said to make a change", name)
			}
		default:
			t.Errorf("%s does not say what work it is", name)
		}
	}
}
