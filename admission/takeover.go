package admission

import (
	"context"
	"sync"
	"time"

	"example.org/library"
)

// takesOver reports whether a record is to get the address under which its subject
// comes. It keeps its own if the provider does not stand by the new one, and if a newer
// token has brought its own: two tokens with different addresses would else change the
// record with every request.
func (l Login) takesOver(u, holder library.User) bool {
	return holder.ID == "" && library.EmailKey(u.Email) != library.EmailKey(l.Email) && isEmail(l.Email) && !l.Denied && !l.outdated
}

// takeOver gives the record the address under which its subject comes.
func takeOver(u library.User, email string) writing {
	u.Email, u.Version = email, library.NewVersion()
	return func(ctx context.Context, tx library.Tx, _ time.Time) error { return tx.UpdateUser(ctx, u) }
}

// takeOvers remembers of each subject when the token was issued whose address its record
// has taken over. It is the memory of one process: with several, an address may change
// once for each of them until all have seen the newer token.
type takeOvers struct {
	mu     sync.Mutex
	issued map[string]time.Time
}

// maxTakeOvers is more than change their address in the life of a token.
const maxTakeOvers = 10_000

// isNewer reports whether the last take-over was by a newer token of the subject.
func (t *takeOvers) isNewer(subject string, issued time.Time) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.issued[subject].After(issued)
}

// add remembers a take-over, in place of any other if there are too many.
func (t *takeOvers) add(subject string, issued time.Time) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.issued == nil {
		t.issued = map[string]time.Time{}
	}
	last, known := t.issued[subject]
	for other := range t.issued {
		if known || len(t.issued) < maxTakeOvers {
			break
		}
		delete(t.issued, other)
	}
	if !last.After(issued) {
		t.issued[subject] = issued
	}
}
