package sqlstore_test

import (
	"bytes"
	"sync"
	"testing"

	"example.org/library/internal/testdb"
	"example.org/library/sqlstore"
)

// Processes that ask for the first time at the same time get one secret, and one that
// comes later the same.
func TestASecretIsMadeOnceForAllProcesses(t *testing.T) {
	t.Parallel()
	for dialect, address := range map[string]func(testing.TB) string{"sqlite": testdb.Migrated.SQLite, "postgres": testdb.Migrated.Postgres} {
		t.Run(dialect, func(t *testing.T) {
			t.Parallel()
			at := address(t)
			const processes = 5
			secrets := make([][]byte, processes)
			var all sync.WaitGroup
			for i := range secrets {
				all.Go(func() { secrets[i] = secretOf(t, at, "one") })
			}
			all.Wait()
			for _, secret := range secrets {
				if len(secret) != 32 || !bytes.Equal(secret, secrets[0]) || !bytes.Equal(secret, secretOf(t, at, "one")) {
					t.Errorf("%x is not %x", secret, secrets[0])
				}
			}
			if bytes.Equal(secretOf(t, at, "another"), secrets[0]) {
				t.Error("two names have the same secret")
			}
		})
	}
}

func secretOf(t *testing.T, address, name string) []byte {
	s, err := sqlstore.Open(t.Context(), address)
	if err != nil {
		t.Error(err)
		return nil
	}
	defer s.Close()
	secret, err := s.Secret(t.Context(), name)
	if err != nil {
		t.Error(err)
	}
	return secret
}
