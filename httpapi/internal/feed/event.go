package feed

import (
	"encoding/json"
	"slices"

	"example.org/library"
	"example.org/library/api"
)

// Event is a change, ready to be sent.
type Event struct {
	library.Change
	Text []byte // nil for what is not for all callers
}

// forEverybody are the kinds of changes that are published to all callers. Their
// names are also the names of the events.
var forEverybody = []library.ChangeKind{
	library.BookAdded, library.BookEdited, library.BookDeleted, library.BookBorrowed, library.BookReturned, library.BookChanged,
}

// Encode makes changes ready to be sent, once for all streams. Those of one
// person's loans and holds are left to the streams of that person.
func Encode(changes []library.Change) []Event {
	events := make([]Event, len(changes))
	for i, c := range changes {
		events[i].Change = c
		if slices.Contains(forEverybody, c.Kind) {
			data, _ := json.Marshal(api.Change{Identifier: c.ID, Borrowed: c.Borrowed, Available: c.Available}) // always marshals
			events[i].Text = Append(nil, string(c.Kind), c.Position, data)
		}
	}
	return events
}

// Append writes an event as the browsers' EventSource reads it. Neither names nor
// data have line breaks.
func Append(b []byte, kind string, at library.Position, data []byte) []byte {
	b = append(append(b, "event: "...), kind...)
	b = append(append(b, "\nid: "...), at.String()...)
	b = append(append(b, "\ndata: "...), data...)
	return append(b, "\n\n"...)
}
