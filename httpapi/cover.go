package httpapi

import (
	"context"
	"errors"
	"net/http"
	"slices"
	"strings"
	"time"

	"golang.org/x/sync/semaphore"

	"example.org/library"
	"example.org/library/cover"
	"example.org/library/httpapi/internal/input"
	"example.org/library/internal/loadshed"
)

var (
	errCoverTooLarge = &problem{status: 413, code: errTooLarge.code, message: "The picture is larger than 5 MiB."}
	errNotPicture    = &problem{status: 415, code: "not_picture", message: "The body must be a picture, sent with Content-Type: image/jpeg, image/png or image/webp."}
	errBadImage      = &problem{status: 400, code: "bad_image", message: "The picture cannot be read, or is not a JPEG, PNG or WebP."}
	errImageTooLarge = &problem{status: 400, code: "image_too_large", message: "The picture has more than 40 million pixels, or too many for the number of scans it comes in; make it smaller, or not progressive."}
)

// Covers are made in bounded memory. At most this number of files is in memory at once; the others wait
// for a place before their bodies are read.
const (
	coverPlaces       = 16
	coverQueueTimeout = 10 * time.Second

	// decodings is how many pictures are decoded at once. A large one is decoded alone.
	decodings       = 2
	coverAloneBytes = 256 << 20
)

func coverLimits() loadshed.Limits {
	// They come in bursts: a hundred files of one person.
	return loadshed.Limits{Places: coverPlaces, Queue: 256, QueueTimeout: coverQueueTimeout, Begun: coverQueueTimeout}
}

// coverMaker makes the pictures of covers, few at a time.
type coverMaker struct {
	places *loadshed.Limiter // for files in memory
	decode *semaphore.Weighted
}

func newCoverMaker(m *Metrics) *coverMaker {
	return &coverMaker{newLimiter("covers", coverLimits(), m), semaphore.NewWeighted(decodings)}
}

// enter takes a place for a file.
func (m *coverMaker) enter(ctx context.Context) error {
	err := m.places.Enter(ctx, false, coverQueueTimeout)
	if errors.Is(err, loadshed.ErrOverloaded) {
		return library.ErrOverloaded
	}
	return err
}

// pictures makes the pictures of a file when it is its turn.
func (m *coverMaker) pictures(ctx context.Context, file []byte) (library.CoverPictures, error) {
	source, err := cover.Read(file)
	if err != nil {
		return library.CoverPictures{}, coverError(err)
	}
	weight := int64(1)
	if source.Bytes() > coverAloneBytes {
		weight = decodings
	}
	waiting, cancel := context.WithTimeout(ctx, coverQueueTimeout)
	defer cancel()
	if err := m.decode.Acquire(waiting, weight); err != nil {
		if ctx.Err() != nil {
			return library.CoverPictures{}, ctx.Err()
		}
		return library.CoverPictures{}, library.ErrOverloaded
	}
	defer m.decode.Release(weight)
	made, err := source.Pictures(ctx)
	return library.CoverPictures(made), coverError(err)
}

func coverError(err error) error {
	switch {
	case errors.Is(err, cover.ErrTooLarge):
		return errImageTooLarge
	case errors.Is(err, cover.ErrBad):
		return errBadImage
	}
	return err
}

// setCover judges the caller before it does anything for the file: a few bytes can be a
// picture of many pixels.
func (s *Server) setCover(x *exchange, id string) error {
	if media, _ := mediaType(x.r.Header); !slices.Contains(cover.MediaTypes, media) {
		return errNotPicture
	}
	if err := x.knownForSure(); err != nil {
		return err
	}
	x.leave()
	if err := s.covers.enter(x.r.Context()); err != nil {
		return err
	}
	defer s.covers.places.Leave()
	file, err := x.receive(cover.MaxFile, errCoverTooLarge)
	if err != nil {
		return err
	}
	pictures, err := s.covers.pictures(x.r.Context(), file)
	if err != nil {
		return err
	}
	if err := x.enter(); err != nil {
		return err
	}
	b, err := s.service.SetCover(x.r.Context(), x.actor, id, pictures)
	if err != nil {
		return err
	}
	return x.emptyReply(http.StatusNoContent, coverTag(b.Cover, library.LargeCover))
}

func (s *Server) removeCover(x *exchange, id string) error {
	return x.noContent(s.service.RemoveCover(x.r.Context(), x.actor, id))
}

// A cover looks the same to everybody, and the address with its version always gives the same
// picture. So it may be kept without asking again, also after the caller has got a new token.
const immutable = "private, max-age=31536000, immutable"

func (s *Server) showCover(x *exchange, id string) error {
	in := x.query()
	size := input.Choice(in, "size", []library.CoverSize{library.LargeCover, library.SmallCover})
	version, _ := in.Take("v")
	if err := in.Err(); err != nil {
		return err
	}
	if size == "" {
		size = library.LargeCover
	}
	c, err := s.service.Cover(x.r.Context(), x.actor, id, size, coverVersion(x.r.Header, size))
	if err != nil {
		return err
	}
	h, tag := x.w.Header(), coverTag(c.Version, size)
	setTag(h, tag)
	if version == c.Version {
		h.Set("Cache-Control", immutable)
		h.Set("Vary", "Origin")
	}
	if fresh(x.r.Header, tag) {
		x.writeHeader(http.StatusNotModified)
		return nil
	}
	h.Set("Content-Type", "image/jpeg")
	x.write(http.StatusOK, c.JPEG)
	return nil
}

func coverTag(version string, size library.CoverSize) string { return tag(version, string(size)) }

// coverVersion is the version of the cover that the caller has, if If-None-Match names one
// of this size.
func coverVersion(h http.Header, size library.CoverSize) string {
	for candidate := range tags(h["If-None-Match"]) {
		candidate = strings.TrimPrefix(candidate, "W/")
		if version := versionOf(candidate); candidate == coverTag(version, size) {
			return version
		}
	}
	return ""
}
