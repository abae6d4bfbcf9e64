package faults

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"sync"
	"testing"
	"time"

	"example.org/library/internal/pgtest"
)

// TestScansOfAStocktakeSurviveKills has two people scan the same copies, each in an order of their own. The process is
// killed meanwhile; a request without an answer is sent again.
func TestScansOfAStocktakeSurviveKills(t *testing.T) {
	t.Parallel()
	for name, database := range map[string]func(testing.TB) string{
		"sqlite":   emptySQLite,
		"postgres": func(t testing.TB) string { return pgtest.Own(t).Database(t, "library") },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			l := open(t, database(t), 1)
			address, curator := l.servers[0].addr, l.token(t, "peter.parker@example.com", "library_curator")
			var codes []string
			for i := range 200 {
				codes = append(codes, fmt.Sprintf("S-%d", i))
				l.servers[0].create(t, "/books/"+l.books[i%len(l.books)]+"/copies", curator, map[string]any{"barcode": codes[i], "shelf": "S"})
			}
			taken := l.servers[0].create(t, "/stocktakes", curator, map[string]any{"name": "All", "shelves": []string{"S"}})
			backwards := slices.Clone(codes)
			slices.Reverse(backwards)
			var people sync.WaitGroup
			found := make(chan string, 2*len(codes))
			for _, order := range [][]string{codes, backwards} {
				people.Go(func() { scanAll(t, "http://"+address+basePath+"/stocktakes/"+taken+"/scans", curator, order, found) })
			}
			for range rounds(t, 3) {
				time.Sleep(pause / 2)
				l.servers[0].Kill()
				l.servers[0] = l.start(t, "--addr", address)
			}
			people.Wait()
			close(found)
			seen := map[string]bool{}
			for code := range found {
				if seen[code] {
					t.Errorf("%s was found twice", code)
				}
				seen[code] = true
			}
			resp := l.servers[0].send(t, "GET", "/stocktakes/"+taken, curator, nil)
			defer resp.Body.Close()
			var got struct {
				Remaining int
				Counts    struct{ Found, Unknown int }
			}
			if err := json.NewDecoder(resp.Body).Decode(&got); err != nil || got.Counts.Found != len(codes) || got.Remaining != 0 || got.Counts.Unknown != 0 {
				t.Errorf("%+v, %v; want %d found and nothing else", got, err, len(codes))
			}
		})
	}
}

// scanAll scans codes, four in a request, and reports those that are found.
func scanAll(t *testing.T, address, token string, codes []string, found chan<- string) {
	for some := range slices.Chunk(codes, 4) {
		body, err := json.Marshal(map[string]any{"codes": some})
		if err != nil {
			t.Error(err)
			return
		}
		var results []struct{ Code, Outcome string }
		status := 0
		for status == 0 || status >= 500 { // the process is away, or goes
			status = post(address, token, body, &results)
		}
		if status != http.StatusOK {
			t.Errorf("a scan has status %d", status)
			return
		}
		for _, r := range results {
			if r.Outcome == "found" {
				found <- r.Code
			}
		}
	}
}

// post sends a body and returns the status of a whole answer, 0 for none.
func post(address, token string, body []byte, into any) int {
	req, err := http.NewRequest(http.MethodPost, address, bytes.NewReader(body))
	if err != nil {
		return 0
	}
	req.Header.Set("Authorization", "Bearer "+token)
	req.Header.Set("Content-Type", "application/json")
	resp, err := plain.Do(req)
	if err != nil {
		time.Sleep(20 * time.Millisecond)
		return 0
	}
	defer resp.Body.Close()
	if err := json.NewDecoder(resp.Body).Decode(into); err != nil && resp.StatusCode == http.StatusOK {
		return 0
	}
	return resp.StatusCode
}
