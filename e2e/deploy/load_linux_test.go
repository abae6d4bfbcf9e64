//go:build patroni

package deploy

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"
)

// load adds books at all copies and remembers every answer.
type load struct {
	t       *testing.T
	copies  *copies
	token   string
	client  *http.Client
	stop    chan struct{}
	workers sync.WaitGroup

	mu       sync.Mutex
	answered map[string]time.Time // books that were confirmed, and when
	counts   map[string]int       // answers of the present round, by status and code
	longest  time.Duration        // of the present round
}

const (
	lenders = 6
	pause   = 20 * time.Millisecond
)

func startLoad(t *testing.T, c *copies) *load {
	l := &load{
		t: t, copies: c, client: &http.Client{Timeout: 20 * time.Second}, stop: make(chan struct{}),
		token: c.idp.Token(t, "peter.parker@example.com", "library_curator"), answered: make(map[string]time.Time),
	}
	l.begin()
	for i := range lenders {
		l.workers.Add(1)
		go func() {
			defer l.workers.Done()
			for turn := i; ; turn++ {
				select {
				case <-l.stop:
					return
				case <-time.After(pause):
					l.add(machines[turn%len(machines)])
				}
			}
		}()
	}
	return l
}

// begin begins a round.
func (l *load) begin() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.counts, l.longest = make(map[string]int), 0
}

// add adds one book at a copy.
func (l *load) add(machine string) {
	id, began := uuid.NewString(), time.Now()
	status, code := l.post(machine, id)
	l.mu.Lock()
	defer l.mu.Unlock()
	if status == http.StatusCreated {
		l.answered[id] = time.Now()
	}
	l.counts[fmt.Sprint(status, " ", code)]++
	l.longest = max(l.longest, time.Since(began))
}

func (l *load) post(machine, id string) (status int, code string) {
	body, _ := json.Marshal(map[string]any{"identifier": id, "title": "Written under load", "authors": []string{"Somebody"}})
	resp := l.request("POST", machine, "/books", bytes.NewReader(body))
	if resp == nil {
		return 0, "no answer"
	}
	defer resp.Body.Close()
	var refusal struct{ Code string }
	json.NewDecoder(resp.Body).Decode(&refusal)
	if resp.StatusCode == http.StatusServiceUnavailable && resp.Header.Get("Retry-After") == "" {
		l.t.Error("a 503 has no Retry-After")
	}
	return resp.StatusCode, refusal.Code
}

func (l *load) request(method, machine, path string, body io.Reader) *http.Response {
	req, err := http.NewRequestWithContext(context.Background(), method, "http://"+l.copies.network.at(machine+":9091")+basePath+path, body)
	if err != nil {
		return nil
	}
	req.Header.Set("Authorization", "Bearer "+l.token)
	req.Header.Set("Content-Type", "application/json")
	resp, err := l.client.Do(req)
	if err != nil {
		return nil
	}
	return resp
}

// report says what happened in the round, and what must not have.
func (l *load) report(what string, lost time.Time, promoted time.Duration) {
	l.mu.Lock()
	defer l.mu.Unlock()
	last, first := time.Time{}, time.Time{} // the last confirmed before the longest gap since then, and the first after it
	var gap time.Duration
	times := []time.Time{lost}
	for _, at := range l.answered {
		if at.After(lost) {
			times = append(times, at)
		}
	}
	slices.SortFunc(times, time.Time.Compare)
	for i := 1; i < len(times); i++ {
		if d := times[i].Sub(times[i-1]); d > gap {
			gap, last, first = d, times[i-1], times[i]
		}
	}
	l.t.Logf("%s: another primary after %.1fs; no write was confirmed for %.1fs (from %.1fs to %.1fs); the longest request took %.1fs; answers: %v",
		what, promoted.Seconds(), gap.Seconds(), last.Sub(lost).Seconds(), first.Sub(lost).Seconds(), l.longest.Seconds(), l.counts)
	for answer, n := range l.counts {
		if answer != "201 " && answer[:3] != "503" {
			l.t.Errorf("%s: %d answers %q", what, n, answer)
		}
	}
}

// end stops the load and looks for every book that was confirmed.
func (l *load) end() {
	close(l.stop)
	l.workers.Wait()
	missing := 0
	for id := range l.answered {
		resp := l.request("GET", machines[0], "/books/"+id, nil)
		if resp == nil || resp.StatusCode != http.StatusOK {
			missing++
		}
		if resp != nil {
			io.Copy(io.Discard, resp.Body)
			resp.Body.Close()
		}
	}
	l.t.Logf("%d books were confirmed, %d of them are lost", len(l.answered), missing)
	if missing > 0 {
		l.t.Errorf("%d of %d books that were confirmed are lost", missing, len(l.answered))
	}
}
