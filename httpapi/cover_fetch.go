package httpapi

import (
	"context"
	"errors"
	"net/http"

	"example.org/library"
	"example.org/library/internal/isbn"
	"example.org/library/lookup"
)

var (
	errCoversOff    = &problem{status: 404, code: "covers_off", message: "This library fetches no covers: no source is set (--covers)."}
	errNoCoverFound = &problem{status: 404, code: "no_cover_found", message: "The source of covers has none of this book, or the book has no ISBN."}
	errSourceFailed = &problem{status: 503, code: "source_failed", message: "A source did not answer as it should; try again later.", retry: "10"}
)

// fetchCover gives a book its cover of a source. It holds no place among the
// changes while it waits for the source.
func (s *Server) fetchCover(x *exchange, id string) error {
	if s.fetches == nil {
		return errCoversOff
	}
	if err := x.knownForSure(); err != nil {
		return err
	}
	b, err := s.service.Book(x.r.Context(), x.actor, id)
	if err != nil {
		return err
	}
	key := isbn.Proven(b.ISBN)
	if key == "" {
		return errNoCoverFound
	}
	x.leave()
	pictures, err := s.fetchPictures(x.r.Context(), key)
	if err != nil {
		return err
	}
	if err := x.enter(); err != nil {
		return err
	}
	return change(x, func(ctx context.Context) (library.Book, error) { return s.service.SetCover(ctx, x.actor, id, pictures) },
		func(b library.Book) reply {
			return reply{status: http.StatusNoContent, tag: coverTag(b.Cover, library.LargeCover)}
		})
}

// fetchPictures asks the source. A file of another kind is a failure of the source. Callers
// with covers to upload do not wait for a slow source: package lookup bounds its files, and
// they get a place on arrival.
func (s *Server) fetchPictures(ctx context.Context, key string) (library.CoverPictures, error) {
	file, err := s.fetches.Fetch(ctx, key)
	switch {
	case errors.Is(err, lookup.ErrNoCover):
		return library.CoverPictures{}, errNoCoverFound
	case errors.Is(err, lookup.ErrFailed):
		s.log.Warn("the source of covers has failed", "source", s.fetches.Name, "error", err)
		return library.CoverPictures{}, errSourceFailed
	case err != nil:
		return library.CoverPictures{}, err
	}
	if err := s.covers.enter(ctx); err != nil {
		return library.CoverPictures{}, err
	}
	defer s.covers.places.Leave()
	pictures, err := s.covers.pictures(ctx, file)
	if errors.Is(err, errBadImage) || errors.Is(err, errImageTooLarge) {
		s.log.Warn("the source of covers has sent what is no cover", "source", s.fetches.Name, "error", err)
		return library.CoverPictures{}, errSourceFailed
	}
	return pictures, err
}
