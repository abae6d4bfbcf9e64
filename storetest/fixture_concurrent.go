package storetest

import (
	"context"
	"errors"
	"io"
	"sync"
	"testing"
	"time"

	"example.org/library"
)

// together runs fn n times at once and waits for all.
func together(n int, fn func(i int)) {
	var all sync.WaitGroup
	start := make(chan struct{})
	for i := range n {
		all.Go(func() {
			<-start
			fn(i)
		})
	}
	close(start)
	all.Wait()
}

// patiently repeats what the store is too busy for, after a moment: one that has waited
// for the file in vain refuses everything until it is free. It has changed nothing then.
func patiently(do func() error) error {
	for deadline := time.Now().Add(30 * time.Second); ; time.Sleep(50 * time.Millisecond) {
		if err := do(); !errors.Is(err, library.ErrUnavailable) || time.Now().After(deadline) {
			return err
		}
	}
}

// patientStore does that with every transaction. Two stores that write to one file for
// as long as they can take it from each other in no order, and one of them may come
// too late for seconds.
type patientStore struct{ library.Store }

func (s patientStore) Tx(ctx context.Context, fn func(library.Tx) error) error {
	return patiently(func() error { return s.Store.Tx(ctx, fn) })
}

func (s patientStore) Close() error { return s.Store.(io.Closer).Close() }

// twoServices are two copies of the program on one database.
func twoServices(t testing.TB, f fixture, options ...library.Option) []*library.Service {
	t.Helper()
	return []*library.Service{library.NewService(f.Store, options...), library.NewService(f.open(t), options...)}
}
