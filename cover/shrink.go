package cover

import (
	"image"
	"image/draw"
)

// stripRows returns how many rows are converted at once: some, but at most a megabyte.
func stripRows(width int) int { return max(1, min(16, 1<<18/width)) }

// shrink scales a picture down, on white. Each pixel is the mean of all pixels below it, so nothing is left out and no
// edge gets a halo. Beside the picture there is memory for one strip of it and for the result, whatever its proportions
// are. (The scalers of x/image/draw keep a row of the result for each row of the picture, which is more than the
// picture itself where it is high.)
func shrink(from image.Image, to Size) *image.RGBA {
	bounds := from.Bounds()
	width, height := bounds.Dx(), bounds.Dy()
	step := min(stripRows(width), height)
	strip := image.NewRGBA(image.Rect(0, 0, width, step))
	s := newScaler(width, height, to)
	for top := 0; top < height; top += step {
		rows := min(step, height-top)
		draw.Draw(strip, strip.Rect, image.White, image.Point{}, draw.Src)
		draw.Draw(strip, image.Rect(0, 0, width, rows), from, image.Pt(bounds.Min.X, bounds.Min.Y+top), draw.Over)
		for y := range rows {
			s.add(strip.Pix[y*strip.Stride:])
		}
	}
	return s.out
}

// scaler makes a small picture of the rows of a large one, from top to bottom. Lengths are
// counted in parts of a pixel, so that all of them are whole numbers: a pixel of the large picture
// is as wide as the small picture has pixels in a row, and the other way round.
type scaler struct {
	width, height int
	to            Size
	spans         []span
	row, sums     []uint64
	y             int
	out           *image.RGBA
}

// span is the part of a row below one pixel of the small picture: a part of the first pixel, the
// pixels in between, and a part of the last.
type span struct {
	first, last int
	head, tail  uint64
}

func newScaler(width, height int, to Size) *scaler {
	s := &scaler{width: width, height: height, to: to, spans: make([]span, to.Width)}
	s.row, s.sums = make([]uint64, 4*to.Width), make([]uint64, 4*to.Width)
	s.out = image.NewRGBA(image.Rect(0, 0, to.Width, to.Height))
	for x := range s.spans {
		begin, end := x*width, (x+1)*width
		first, last := begin/to.Width, (end-1)/to.Width
		if first == last {
			s.spans[x] = span{first, last, uint64(width), 0}
			continue
		}
		s.spans[x] = span{first, last, uint64((first+1)*to.Width - begin), uint64(end - last*to.Width)}
	}
	return s
}

// add takes the next row of the large picture.
func (s *scaler) add(row []byte) {
	s.sum(row)
	area := uint64(s.width) * uint64(s.height)
	for from, end := s.y*s.to.Height, (s.y+1)*s.to.Height; from < end; {
		at := from / s.height
		until := min(end, (at+1)*s.height)
		part := uint64(until - from)
		for i, sum := range s.row {
			s.sums[i] += part * sum
		}
		if from = until; until == (at+1)*s.height { // the row of the small picture is complete
			out := s.out.Pix[at*s.out.Stride:][:len(s.sums)]
			for i, sum := range s.sums {
				out[i] = byte((sum + area/2) / area)
			}
			clear(s.sums)
		}
	}
	s.y++
}

// sum adds up the pixels of a row for each pixel of the small picture.
func (s *scaler) sum(row []byte) {
	whole := uint64(s.to.Width)
	for x, span := range s.spans {
		var sum [4]uint64
		for i := span.first + 1; i < span.last; i++ {
			p := row[4*i : 4*i+4 : 4*i+4]
			sum[0] += uint64(p[0])
			sum[1] += uint64(p[1])
			sum[2] += uint64(p[2])
			sum[3] += uint64(p[3])
		}
		first, last := row[4*span.first:][:4], row[4*span.last:][:4]
		to := s.row[4*x:][:4]
		for c := range to {
			to[c] = whole*sum[c] + span.head*uint64(first[c]) + span.tail*uint64(last[c])
		}
	}
}
