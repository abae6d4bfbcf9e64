package sqlstore_test

import (
	"errors"
	"fmt"
	"testing"

	"example.org/library"
	"example.org/library/accession"
	"example.org/library/internal/testkit"
	"example.org/library/service"
	"example.org/library/sqlstore"
)

// diskOfPostgres is full when there are more books than the limit.
const diskOfPostgres = `CREATE FUNCTION no_room() RETURNS trigger LANGUAGE plpgsql AS $$
	BEGIN
		IF (SELECT count(*) FROM books) > %d THEN
			RAISE EXCEPTION 'no space left on device' USING ERRCODE = 'disk_full';
		END IF;
		RETURN NULL;
	END $$;
	CREATE TRIGGER no_room AFTER INSERT ON books FOR EACH STATEMENT EXECUTE FUNCTION no_room()`

// TestAnImportThatBreaksOffSaysHowManyRowsAreDone lets the disk become full in the
// middle.
func TestAnImportThatBreaksOffSaysHowManyRowsAreDone(t *testing.T) {
	t.Parallel()
	for name, address := range databases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			store := open(t, address(t))
			lib, admin := service.New(store), newAdmin(t, store)
			rows := make([]accession.Row, library.MaxImport)
			for i := range rows {
				rows[i].Title = fmt.Sprint("Book ", i)
			}
			rows[3].Title = "" // which is no book
			fill, free := func() { sqlstore.LimitPagesTo(t, store, 550) }, func() { sqlstore.LimitPagesTo(t, store, 1<<20) }
			if name == "postgres" {
				fill = func() { sqlstore.Exec(t, store, fmt.Sprintf(diskOfPostgres, 500)) }
				free = func() { sqlstore.Exec(t, store, `DROP TRIGGER no_room ON books`) }
			}
			fill()
			_, err := accession.Run(t.Context(), lib, admin, rows, library.ImportOptions{})
			var broken *library.Error
			if !errors.As(err, &broken) || broken.Code != "import_incomplete" {
				t.Fatalf("got %v", err)
			}
			there, err := store.CountBooks(t.Context(), library.BookQuery{})
			testkit.NoError(t, err)
			said := map[string]int{}
			for _, d := range broken.Details {
				said[d.Field+" "+string(d.Code)] = d.Limit
			}
			if there == 0 || there >= 999 || said["added rows_outcome"] != there || said["invalid rows_outcome"] != 1 || said["rows rows_done"] != there+1 {
				t.Errorf("%d books are there; answered %v", there, said)
			}
			free()
			results, err := accession.Run(t.Context(), lib, admin, rows, library.ImportOptions{})
			testkit.NoError(t, err)
			for i, r := range results {
				want := library.ImportUnchanged
				switch {
				case i == 3:
					want = library.ImportInvalid
				case i > there:
					want = library.ImportAdded
				}
				if r.Outcome != want {
					t.Fatalf("row %d is %s, want %s", i, r.Outcome, want)
				}
			}
		})
	}
}
