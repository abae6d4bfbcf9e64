package backup_test

import (
	"bytes"
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"example.org/library"
	"example.org/library/internal/testkit"
	"example.org/library/service"
)

// dumped is all that is in a new backup of a database.
func dumped(t *testing.T, address string) []byte {
	t.Helper()
	file := filepath.Join(t.TempDir(), "copy")
	testkit.NoError(t, sourceOf(address).Database.Dump(t.Context(), file, func(string, int64, int64) {}))
	var content []byte
	var err error
	if strings.HasPrefix(address, "sqlite:") {
		content, err = os.ReadFile(file)
	} else {
		content, err = exec.Command("pg_restore", "--file=-", file).Output()
	}
	testkit.NoError(t, err)
	return content
}

func TestABackupHasNobodyWhoWasRemovedAndNoSavedResponses(t *testing.T) {
	onEachDatabase(t, func(t *testing.T, from, _ string) {
		s := open(t, from)
		admin := library.Actor{User: s.curator.User, Authorities: []string{library.RoleAdmin.Authority(), library.RoleCurator.Authority()}}
		once := func(key, answer string, do func(context.Context) error) {
			t.Helper()
			o := service.IdempotentRequest{Key: key, Response: func(any) ([]byte, error) { return []byte(answer), nil }}
			testkit.NoError(t, testkit.Err(s.service.DoIdempotent(t.Context(), admin, &o, do)))
		}
		fields := library.UserFields{Email: "zqxj@removed.example", FirstName: "Wqjk", LastName: "Zyqxw", Card: "KJQZ-1"}
		var u library.User
		once("user", fields.Email, func(ctx context.Context) (err error) {
			u, err = s.service.AddUser(ctx, admin, "", fields)
			return err
		})
		once("book", "kept-answer", func(ctx context.Context) error {
			_, err := s.service.AddBook(ctx, admin, "", library.BookFields{Title: "Emma in the copy"}, 1)
			return err
		})
		testkit.NoError(t, s.service.RemoveUser(t.Context(), admin, u.ID, nil))
		content := dumped(t, from)
		for _, gone := range []string{fields.Email, fields.FirstName, fields.LastName, "zyqxw", fields.Card, "kept-answer"} {
			if bytes.Contains(content, []byte(gone)) {
				t.Errorf("%q is in the copy", gone)
			}
		}
		if !bytes.Contains(content, []byte("Emma in the copy")) {
			t.Error("the book is not in the copy")
		}
	})
}
