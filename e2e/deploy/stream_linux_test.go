package deploy

import (
	"bufio"
	"context"
	"net/http"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/google/uuid"

	"example.org/library/internal/testkit"
)

// cleanCode is a sample book.
const cleanCode = "f9bf70d6-e56d-4cab-be6b-294cd05f599f"

// writer borrows a book and returns it, in turn.
type writer struct {
	f        *front
	token    string
	written  int
	repeated int // because the database was slow
}

// write must never fail. The library itself may say that its database is slow, as on
// a machine with too much to do; then the writer does what clients do, and repeats it
// with its key. What a proxy says in the library's stead is a failure.
func (w *writer) write(t *testing.T) {
	action := "borrow"
	if w.written%2 == 1 {
		action = "return"
	}
	key := uuid.NewString()
	for range 5 {
		resp, err := w.f.do("POST", basePath+"/books/"+cleanCode+"/"+action, w.token, "Idempotency-Key", `"`+key+`"`)
		switch {
		case err != nil:
			t.Errorf("%s failed: %v", action, err)
			return
		case resp.StatusCode == http.StatusOK:
			w.written++
			return
		case (resp.StatusCode != http.StatusServiceUnavailable && resp.StatusCode != http.StatusConflict) || resp.Header.Get("Retry-After") == "":
			t.Errorf("%s: %d", action, resp.StatusCode)
			return
		}
		w.repeated++
		time.Sleep(time.Second)
	}
	t.Errorf("%s failed five times", action)
}

// restart asks a copy to stop, waits until it has, and starts it again.
func (f *front) restart(t *testing.T, machine string) {
	t.Helper()
	f.running[machine].Cmd.Process.Signal(syscall.SIGTERM)
	select {
	case <-f.running[machine].Exited:
	case <-time.After(testkit.Timeout(t)):
		t.Fatalf("copy %s does not end", machine)
	}
	f.start(machine)
	testkit.Eventually(t, "a copy that was started again is ready", func() bool {
		resp, err := http.Get("http://" + f.network.at(machine+":9092") + "/readyz")
		if err == nil {
			resp.Body.Close()
		}
		return err == nil && resp.StatusCode == http.StatusOK
	})
}

// stream is somebody who listens, and begins again where a stream has ended.
type stream struct {
	begun    atomic.Int64 // how often it was begun
	received atomic.Int64 // how many borrowings and returns, in turn
	wrong    atomic.Pointer[string]
	last     string
}

func (f *front) listen(t *testing.T, token string) *stream {
	t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	s, ended := &stream{}, make(chan struct{})
	t.Cleanup(func() { cancel(); <-ended })
	ready := make(chan struct{}, 100)
	go func() {
		defer close(ended)
		for ctx.Err() == nil {
			s.read(ctx, f, token, ready)
			time.Sleep(50 * time.Millisecond)
		}
	}()
	select {
	case <-ready:
	case <-time.After(testkit.Timeout(t)):
		t.Fatal("no stream begins")
	}
	return s
}

// read follows one stream to its end.
func (s *stream) read(ctx context.Context, f *front, token string, ready chan<- struct{}) {
	req, err := http.NewRequestWithContext(ctx, "GET", "https://"+hostName+basePath+"/events", nil)
	if err != nil {
		return
	}
	req.Header.Set("Authorization", "Bearer "+token)
	if s.last != "" {
		req.Header.Set("Last-Event-ID", s.last)
	}
	resp, err := f.client.Do(req)
	if err != nil || resp.StatusCode != http.StatusOK {
		return
	}
	defer resp.Body.Close()
	s.begun.Add(1)
	var id string
	for lines := bufio.NewScanner(resp.Body); lines.Scan(); {
		switch field, value, _ := strings.Cut(lines.Text(), ": "); {
		case field == "id":
			id = value
		case field == "event" && value == "ready":
			ready <- struct{}{}
		case field == "event":
			s.receive(value)
		case field == "" && value == "" && id != "":
			s.last = id
		}
	}
}

// receive takes an event. Borrowing and returning alternate, or one was lost, came twice
// or out of order.
func (s *stream) receive(event string) {
	want := [...]string{"borrowed", "returned"}[s.received.Load()%2]
	switch event {
	case "borrowed", "returned":
		if event != want {
			s.wrong.CompareAndSwap(nil, &event)
		}
		s.received.Add(1)
	case "reset":
		s.wrong.CompareAndSwap(nil, &event)
	}
}

// await waits until the stream has received an event for each write.
func (s *stream) await(t *testing.T, written int) {
	t.Helper()
	testkit.Eventually(t, "a stream receives an event for every write", func() bool { return s.received.Load() >= int64(written) })
	if wrong := s.wrong.Load(); wrong != nil {
		t.Fatalf("%q came out of turn", *wrong)
	}
}
