package httpapi

import (
	"cmp"
	"net/http"
	"strings"

	"example.org/library/internal/icalendar"
	"example.org/library/service"
)

// calendarWords are the words of a calendar beside the books, by language.
var calendarWords = map[string]struct{ name, due string }{
	"en": {"Library", "Due: "},
	"de": {"Bibliothek", "Fällig: "},
}

// showCalendar sends the caller's due days as a file for calendar programs.
func (s *Server) showCalendar(x *exchange) error {
	if err := x.query().Err(); err != nil {
		return err
	}
	days, err := s.service.DueDays(x.r.Context(), x.actor)
	if err != nil {
		return err
	}
	words := calendarWords[x.actor.User.Locale]
	c := icalendar.Calendar{Name: cmp.Or(s.name, words.name), Made: s.service.Now(), Events: each(days, func(d service.DueDay) icalendar.Event {
		return icalendar.Event{
			UID: d.Loan.ID, Sequence: d.Loan.Renewals, Day: d.Day,
			Summary: words.due + d.Loan.Book.Title, Description: strings.Join(d.Loan.Book.Authors, ", "),
		}
	})}
	x.w.Header().Set("Content-Type", icalendar.ContentType)
	x.write(http.StatusOK, c.Encode())
	return nil
}
