package cover

import (
	"image"
	"image/color"
	"image/draw"
)

// stripRows is how many rows are converted at once: some, but no more than a megabyte.
func stripRows(width int) int { return max(1, min(16, 1<<18/width)) }

// shrink scales a picture down, on white. Each pixel is the mean of all that it covers, so
// nothing is left out and no edge gets a halo. Beside the picture there is memory for one
// strip of it and for the result, whatever its proportions are. (The scalers of x/image/draw
// keep a row of the result for each row of the picture, which is more than the picture itself
// where that is high.)
func shrink(from image.Image, to Size) *image.RGBA {
	switch m := from.(type) {
	case *image.YCbCr:
		return shrinkYCbCr(m, to)
	case *image.RGBA:
		if m.Opaque() {
			return shrinkPixels(m.Pix, m.Stride, m.Rect, to)
		}
	case *image.NRGBA:
		if m.Opaque() {
			return shrinkPixels(m.Pix, m.Stride, m.Rect, to)
		}
	}
	return shrinkStrips(from, to)
}

// shrinkYCbCr is for what cameras make. Brightness and colours are scaled as they are in the file, where
// there are often fewer of the colours, and only the pixels of the result are converted.
func shrinkYCbCr(m *image.YCbCr, to Size) *image.RGBA {
	bounds := m.Rect
	width, height := colourSize(bounds, m.SubsampleRatio)
	y := newScaler(1, bounds.Dx(), bounds.Dy(), to).all(m.Y[m.YOffset(bounds.Min.X, bounds.Min.Y):], m.YStride)
	colours := m.COffset(bounds.Min.X, bounds.Min.Y)
	cb := newScaler(1, width, height, to).all(m.Cb[colours:], m.CStride)
	cr := newScaler(1, width, height, to).all(m.Cr[colours:], m.CStride)
	out := image.NewRGBA(image.Rect(0, 0, to.Width, to.Height))
	for i := range y {
		p := out.Pix[4*i : 4*i+4]
		p[0], p[1], p[2] = color.YCbCrToRGB(y[i], cb[i], cr[i])
		p[3] = 0xff
	}
	return out
}

// colourSize is how many numbers for colours there are in a row, and how many rows of them.
func colourSize(r image.Rectangle, ratio image.YCbCrSubsampleRatio) (width, height int) {
	across, down := 1, 1
	switch ratio {
	case image.YCbCrSubsampleRatio422:
		across = 2
	case image.YCbCrSubsampleRatio420:
		across, down = 2, 2
	case image.YCbCrSubsampleRatio440:
		down = 2
	case image.YCbCrSubsampleRatio411:
		across = 4
	case image.YCbCrSubsampleRatio410:
		across, down = 4, 2
	}
	return (r.Max.X+across-1)/across - r.Min.X/across, (r.Max.Y+down-1)/down - r.Min.Y/down
}

// shrinkPixels is for pixels of red, green, blue and what lets nothing through.
func shrinkPixels(pixels []byte, stride int, bounds image.Rectangle, to Size) *image.RGBA {
	return asRGBA(newScaler(4, bounds.Dx(), bounds.Dy(), to).all(pixels, stride), to)
}

// shrinkStrips is for all other pictures, which are converted strip by strip.
func shrinkStrips(from image.Image, to Size) *image.RGBA {
	bounds := from.Bounds()
	width, height := bounds.Dx(), bounds.Dy()
	step := min(stripRows(width), height)
	strip := image.NewRGBA(image.Rect(0, 0, width, step))
	white := image.NewUniform(color.White)
	s := newScaler(4, width, height, to)
	for top := 0; top < height; top += step {
		rows := min(step, height-top)
		draw.Draw(strip, strip.Rect, white, image.Point{}, draw.Src)
		draw.Draw(strip, image.Rect(0, 0, width, rows), from, image.Pt(bounds.Min.X, bounds.Min.Y+top), draw.Over)
		for y := range rows {
			s.add(strip.Pix[y*strip.Stride:])
		}
	}
	return asRGBA(s.out, to)
}

func asRGBA(pixels []byte, to Size) *image.RGBA {
	return &image.RGBA{Pix: pixels, Stride: 4 * to.Width, Rect: image.Rect(0, 0, to.Width, to.Height)}
}

// scaler makes a small picture out of the rows of a large one, from top to bottom. Lengths are
// counted in parts of a pixel, so that all of them are whole numbers: a pixel of the large picture
// is as wide as the small picture has pixels in a row, and the other way round.
type scaler struct {
	numbers       int // of a pixel
	width, height int
	to            Size
	spans         []span
	row, sums     []uint64
	y             int
	out           []byte
}

// span is what a pixel of the small picture covers of a row: a part of the first pixel, the
// whole of those between, and a part of the last.
type span struct {
	first, last int
	head, tail  uint64
}

func newScaler(numbers, width, height int, to Size) *scaler {
	s := &scaler{numbers: numbers, width: width, height: height, to: to, spans: make([]span, to.Width)}
	s.row, s.sums = make([]uint64, numbers*to.Width), make([]uint64, numbers*to.Width)
	s.out = make([]byte, numbers*to.Width*to.Height)
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

// all scales a whole picture.
func (s *scaler) all(pixels []byte, stride int) []byte {
	for y := range s.height {
		s.add(pixels[y*stride:])
	}
	return s.out
}

// add takes the next row of the large picture.
func (s *scaler) add(row []byte) {
	if s.numbers == 1 {
		s.sumNumbers(row)
	} else {
		s.sumPixels(row)
	}
	area := uint64(s.width) * uint64(s.height)
	for from, end := s.y*s.to.Height, (s.y+1)*s.to.Height; from < end; {
		at := from / s.height
		until := min(end, (at+1)*s.height)
		part := uint64(until - from)
		for i, sum := range s.row {
			s.sums[i] += part * sum
		}
		if from = until; until == (at+1)*s.height { // a row of the small picture is covered whole
			out := s.out[at*len(s.sums):][:len(s.sums)]
			for i, sum := range s.sums {
				out[i] = byte((sum + area/2) / area)
			}
			clear(s.sums)
		}
	}
	s.y++
}

func (s *scaler) sumNumbers(row []byte) {
	whole := uint64(s.to.Width)
	for x, span := range s.spans {
		sum := uint64(0)
		for i := span.first + 1; i < span.last; i++ {
			sum += uint64(row[i])
		}
		s.row[x] = whole*sum + span.head*uint64(row[span.first]) + span.tail*uint64(row[span.last])
	}
}

func (s *scaler) sumPixels(row []byte) {
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
