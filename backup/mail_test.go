package backup_test

import (
	"bytes"
	"testing"

	"example.org/library/backup"
	"example.org/library/internal/testkit"
)

func TestARestoredLibraryMailsNobodyUntilAnAdminSaysSo(t *testing.T) {
	onEachDatabase(t, func(t *testing.T, from, to string) {
		before, err := open(t, from).store.Outbox(t.Context())
		testkit.NoError(t, err)
		if before.Paused {
			t.Error("a new library waits with its mails")
		}
		var dump bytes.Buffer
		testkit.NoError(t, backup.WriteTo(t.Context(), sourceOf(from), &dump))
		testkit.NoError(t, restore(to, &dump, false))
		after, err := open(t, to).store.Outbox(t.Context())
		testkit.NoError(t, err)
		if !after.Paused {
			t.Error("a restored library does not wait with its mails")
		}
	})
}
