package httpapi_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"example.org/library/internal/testkit"
)

// step is one request of a scenario in one library, and the expected answer. {names}
// in paths and bodies stand for what earlier steps have saved.
type step struct {
	rule   string
	at     string // RFC 3339: the time of the library from here on; "" for no change
	as     string
	scope  string // of the token, instead of the usual one
	ask    string // method and path
	body   string
	header http.Header
	status int
	code   string
	want   facts  // about the answer
	keep   string // the name under which the identifier in the answer is kept, after a colon where it is
	then   func(*testing.T, *story, reply)
}

// facts are what is to be found where in an answer: "book.title" is a member of a
// member, "0" the first element of an array, "length" the length of one.
type facts map[string]any

// absent is the value of a member that is not there.
const absent = "(absent)"

// story is a library on which steps are made, one after the other.
type story struct {
	*world
	clock calendar
	names map[string]string
}

// calendar is a clock that stands still until it is set.
type calendar struct {
	mu sync.Mutex
	at time.Time
}

func (c *calendar) now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.at
}

func (c *calendar) set(t testing.TB, instant string) {
	t.Helper()
	at, err := time.Parse(time.RFC3339Nano, instant)
	testkit.NoError(t, err)
	c.mu.Lock()
	defer c.mu.Unlock()
	c.at = at
}

// newStory begins on a Monday morning.
func newStory(t *testing.T, database string, changes ...func(*setup)) *story {
	t.Helper()
	s := &story{names: map[string]string{
		"clean": cleanCode, "patterns": designPatterns, "unknown": unknownID,
		"wayne": wayneID, "banner": bannerID, "parker": parkerID, "kent": kentID,
	}}
	s.clock.set(t, "2026-03-02T10:00:00Z")
	s.world = newWorld(t, append(changes, func(c *setup) { c.open, c.clock = databases[database], s.clock.now })...)
	return s
}

// runSteps makes the steps on each database.
func runSteps(t *testing.T, steps []step) {
	t.Helper()
	runStepsIn(t, func(*setup) {}, steps)
}

// runStepsIn is runSteps in a library with another setup.
func runStepsIn(t *testing.T, change func(*setup), steps []step) {
	t.Helper()
	for database := range databases {
		t.Run(database, func(t *testing.T) {
			t.Parallel()
			s := newStory(t, database, change)
			for _, step := range steps {
				if !t.Run(step.rule, func(t *testing.T) { s.make(t, step) }) {
					return // what follows depends on it
				}
			}
		})
	}
}

func (s *story) make(t *testing.T, st step) {
	t.Helper()
	if st.at != "" {
		s.clock.set(t, st.at)
	}
	method, path, _ := strings.Cut(st.ask, " ")
	r := request{as: st.as, method: method, path: s.fill(t, path), body: s.fill(t, st.body), header: st.header}
	if st.scope != "" {
		r.token = s.idp.Token(t, st.as, st.scope)
	}
	a := s.send(t, r).want(t, st.status, st.code)
	s.check(t, a, st.want)
	if st.keep != "" {
		name, where, elsewhere := strings.Cut(st.keep, ":")
		if !elsewhere {
			where = "identifier"
		}
		s.names[name] = fmt.Sprint(find(a.value(t), where))
	}
	if st.then != nil {
		st.then(t, s, a)
	}
}

// fill puts what was kept in the place of its name.
func (s *story) fill(t *testing.T, text string) string {
	t.Helper()
	for name, value := range s.names {
		text = strings.ReplaceAll(text, "{"+name+"}", value)
	}
	return text
}

// check holds an answer against facts, of which texts may have names in them.
func (s *story) check(t *testing.T, a reply, want facts) {
	t.Helper()
	for path, value := range want {
		if got := find(a.value(t), path); fmt.Sprint(got) != s.fill(t, fmt.Sprint(value)) {
			t.Errorf("%s is %v, want %v; body %.2000s", path, got, s.fill(t, fmt.Sprint(value)), a.body)
		}
	}
}

// value is the body as JSON.
func (a reply) value(t testing.TB) any {
	t.Helper()
	decoder := json.NewDecoder(bytes.NewReader(a.body))
	decoder.UseNumber()
	var v any
	if err := decoder.Decode(&v); err != nil {
		t.Fatalf("status %d, body %.300s: %v", a.status, a.body, err)
	}
	return v
}

// find goes along a path of facts.
func find(v any, path string) any {
	for name := range strings.SplitSeq(path, ".") {
		switch in := v.(type) {
		case map[string]any:
			member, ok := in[name]
			if !ok {
				return absent
			}
			v = member
		case []any:
			if name == "length" {
				return len(in)
			}
			i, err := strconv.Atoi(name)
			if err != nil || i >= len(in) {
				return absent
			}
			v = in[i]
		default:
			return absent
		}
	}
	return v
}
