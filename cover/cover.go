// Package cover makes the pictures of a book's cover out of a file somebody has uploaded: two JPEGs, one for a page and
// one for a list, with nothing else of the file in them. It knows nothing of books. Start reading at [Read].
//
// The file is from a stranger. Its first bytes decide about its format, and its header is read first,
// so a picture with too many pixels is refused before there is memory for them. [Source.Bytes] says
// how much memory decoding takes at most.
package cover

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"image"
	"image/color"
	"image/jpeg"
	"image/png"
	"io"

	"golang.org/x/image/webp"
)

// MaxFile limits the bytes of a file, and MaxPixels the pixels of its picture.
const (
	MaxFile   = 5 << 20
	MaxPixels = 40_000_000
)

// Size is a box for scaling a picture down.
type Size struct{ Width, Height int }

// Large is for the page of a book, and Small for lists.
var (
	Large = Size{640, 960}
	Small = Size{200, 300}
)

// MediaTypes are the media types of accepted files.
var MediaTypes = []string{"image/jpeg", "image/png", "image/webp"}

var (
	// ErrBad means a file without a readable picture.
	ErrBad = errors.New("cover: the file is not a JPEG, PNG or WebP picture that can be read")
	// ErrTooLarge means a picture with more than MaxPixels, or with too many scans.
	ErrTooLarge = fmt.Errorf("cover: the picture has more than %d pixels, or too many for its scans", MaxPixels)
)

// Pictures are the JPEGs of a cover.
type Pictures struct{ Large, Small []byte }

// format is a kind of file.
type format struct {
	is          func(file []byte) bool
	config      func(io.Reader) (image.Config, error)
	decode      func(io.Reader) (image.Image, error)
	bytesAPixel func(file []byte, model color.Model) int
	rows        int // of the picture as they are in the file, which the decoder keeps beside it
	check       func(file []byte, width, height int) error
}

var formats = []format{
	{
		is:     func(file []byte) bool { return bytes.HasPrefix(file, []byte("\xff\xd8\xff")) },
		config: jpeg.DecodeConfig, decode: jpeg.Decode, bytesAPixel: jpegBytes, check: checkScans,
	},
	{
		is:     func(file []byte) bool { return bytes.HasPrefix(file, []byte("\x89PNG\r\n\x1a\n")) },
		config: png.DecodeConfig, decode: png.Decode, bytesAPixel: pngBytes, rows: 2,
	},
	{
		is: func(file []byte) bool {
			return len(file) > 12 && string(file[:4]) == "RIFF" && string(file[8:12]) == "WEBP"
		},
		// Lossless pictures are decoded into one buffer and transformed into another, and
		// transparency is such a picture beside the colours.
		config: webp.DecodeConfig, decode: webp.Decode, bytesAPixel: func([]byte, color.Model) int { return 12 },
	},
}

// Source is a file after reading its header.
type Source struct {
	Width, Height int

	file   []byte
	format *format
	pixel  int // bytes that decoding takes for each
}

// Read reads the header of a file. The error is ErrBad or ErrTooLarge.
func Read(file []byte) (*Source, error) {
	for i := range formats {
		f := &formats[i]
		if !f.is(file) {
			continue
		}
		config, err := f.config(bytes.NewReader(file))
		switch {
		case err == png.UnsupportedError("dimension overflow"):
			return nil, ErrTooLarge
		case err != nil || config.Width <= 0 || config.Height <= 0:
			return nil, ErrBad
		case config.Width > MaxPixels/config.Height:
			return nil, ErrTooLarge
		}
		if f.check != nil {
			if err := f.check(file, config.Width, config.Height); err != nil {
				return nil, err
			}
		}
		return &Source{config.Width, config.Height, file, f, f.bytesAPixel(file, config.ColorModel)}, nil
	}
	return nil, ErrBad
}

// Bytes returns the most memory of Pictures, beside the file: for the decoded picture, the decoder, and the results.
func (s *Source) Bytes() int {
	const made = 16 << 20
	return s.Width*s.Height*s.pixel + s.format.rows*s.Width*rowPixel + 4*s.Width*stripRows(s.Width) + made
}

// rowPixel is the most bytes of a pixel in a file: four numbers of 16 bits.
const rowPixel = 8

// MaxBytes is the most memory of any picture: a PNG of numbers of 16 bits with one row, comes in passes and is decoded
// with two rows and a strip beside it. A JPEG of CMYK in several scans takes 24 bytes for each pixel.
const MaxBytes = (12+2*rowPixel+4)*MaxPixels + 32<<20

// pngBytes is for a picture of four numbers of 8 or 16 bits. If it comes in passes, the last
// pass has half of the pixels and is decoded beside the picture.
func pngBytes(file []byte, model color.Model) int {
	const interlaced = 28 // where the header says so
	pixel := 4
	if model == color.RGBA64Model || model == color.NRGBA64Model || model == color.Gray16Model {
		pixel = 8
	}
	if len(file) > interlaced && file[interlaced] != 0 {
		pixel += pixel / 2
	}
	return pixel
}

// cancelReader reads a file until its context is done: the decoders know of no context. It reads a few bytes at a time,
// because a few bytes can be much work.
type cancelReader struct {
	ctx  context.Context
	file *bytes.Reader
}

func (r cancelReader) Read(p []byte) (int, error) {
	if err := r.ctx.Err(); err != nil {
		return 0, err
	}
	return r.file.Read(p[:min(len(p), 256)])
}

// Pictures decodes the file and makes the pictures, until the context is done. The error is that of the context, or ErrBad.
func (s *Source) Pictures(ctx context.Context) (Pictures, error) {
	decoded, err := s.format.decode(cancelReader{ctx, bytes.NewReader(s.file)})
	if gone := ctx.Err(); gone != nil {
		return Pictures{}, gone
	}
	if err != nil || decoded.Bounds().Dx() != s.Width || decoded.Bounds().Dy() != s.Height {
		return Pictures{}, ErrBad
	}
	turn := orientation(s.file)
	width, height := s.Width, s.Height
	if turn.swaps() {
		width, height = height, width
	}
	large := shrink(decoded, turn.box(fit(width, height, Large)))
	small := shrink(large, turn.box(fit(width, height, Small)))
	var made Pictures
	if made.Large, err = encode(turn.apply(large), 85); err != nil {
		return Pictures{}, err
	}
	made.Small, err = encode(turn.apply(small), 80)
	return made, err
}

// fit returns the size of a picture scaled down into a box.
func fit(width, height int, box Size) Size {
	if width <= box.Width && height <= box.Height {
		return Size{width, height}
	}
	if width*box.Height > height*box.Width {
		return Size{box.Width, max(1, (height*box.Width+width/2)/width)}
	}
	return Size{max(1, (width*box.Height+height/2)/height), box.Height}
}

func encode(m image.Image, quality int) ([]byte, error) {
	var b bytes.Buffer
	err := jpeg.Encode(&b, m, &jpeg.Options{Quality: quality})
	return b.Bytes(), err
}
