package users

import (
	"errors"
	"io"
	"os"

	"example.org/library"
	"example.org/library/internal/table"
	"example.org/library/userfile"
)

// sharedCards are the cards that stand beside several addresses in a file. In one request
// the library sees that itself; a long file comes in several, and its first row could find
// the person of its last one. Of what comes through a pipe it cannot be known beforehand.
func sharedCards(in io.Reader, read userfile.Options) map[string]bool {
	file, is := in.(*os.File)
	if !is {
		return nil
	}
	info, err := file.Stat()
	if err != nil || !info.Mode().IsRegular() {
		return nil
	}
	defer file.Seek(0, io.SeekStart)
	rows, err := userfile.NewReader(file, read)
	if err != nil {
		return nil // which is said when the file is imported
	}
	shared, of := map[string]bool{}, map[string]string{}
	for {
		row, err := rows.Read()
		if _, bad := errors.AsType[*table.RowError](err); err != nil && !bad {
			return shared
		}
		card, email := row.User.Card, library.EmailKey(row.User.Email)
		if card == "" || email == "" {
			continue
		}
		if first, seen := of[card]; seen && first != email {
			shared[card] = true
		}
		of[card] = email
	}
}

// errShared is about a row with such a card.
func errShared(line int, card string) error {
	return &table.RowError{Line: line, Code: library.ErrCardTaken.Code, Reason: "has the card " + table.Shortened(card) + ", which stands beside another address in the file, too: correct one of them"}
}
