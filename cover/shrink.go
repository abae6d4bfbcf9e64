package cover

import (
	"image"
	"image/color"
	"image/draw"
)

// stripRows is how many rows are converted at once: some, but no more than a megabyte.
func stripRows(width int) int { return max(1, min(16, 1<<18/width)) }

// shrink scales a picture down, on white. Each pixel is the mean of all that it covers, so
// nothing is left out and no edge gets a halo. The picture is read in strips: beside it
// there is memory for one strip and for the result, whatever its proportions are. (The
// scalers of x/image/draw keep a row of the result for each row of the picture, which is
// more than the picture itself where that is high.)
func shrink(from image.Image, to Size) *image.RGBA {
	bounds := from.Bounds()
	width, height := bounds.Dx(), bounds.Dy()
	step := min(stripRows(width), height)
	out := image.NewRGBA(image.Rect(0, 0, to.Width, to.Height))
	strip := image.NewRGBA(image.Rect(0, 0, width, step))
	white := image.NewUniform(color.White)
	row, sums := make([]uint64, 3*to.Width), make([]uint64, 3*to.Width)
	for top := 0; top < height; top += step {
		rows := min(step, height-top)
		draw.Draw(strip, strip.Rect, white, image.Point{}, draw.Src)
		draw.Draw(strip, image.Rect(0, 0, width, rows), from, image.Pt(bounds.Min.X, bounds.Min.Y+top), draw.Over)
		for y := range rows {
			clear(row)
			addRow(row, strip.Pix[y*strip.Stride:][:4*width], width, to.Width)
			addTo(out, sums, row, top+y, width, height)
		}
	}
	return out
}

// addRow adds up what of a row each pixel of the result covers. Lengths are counted in parts of
// a pixel, so that all of them are whole numbers: a pixel of the row is to wide, and one of the
// result width.
func addRow(sums []uint64, pixels []byte, width, to int) {
	x, left := 0, width // the pixel of the result, and how much of it is not covered yet
	for i := range width {
		p := pixels[4*i : 4*i+3]
		for rest := to; rest > 0; {
			part := min(rest, left)
			for c := range 3 {
				sums[3*x+c] += uint64(part) * uint64(p[c])
			}
			rest -= part
			if left -= part; left == 0 {
				x, left = x+1, width
			}
		}
	}
}

// addTo adds a row, which is at y, to the rows of the result that cover it. A row of the
// result that is covered whole is written.
func addTo(out *image.RGBA, sums, row []uint64, y, width, height int) {
	to := out.Rect.Dy()
	area := uint64(width) * uint64(height)
	for from, end := y*to, (y+1)*to; from < end; {
		at := from / height
		until := min(end, (at+1)*height)
		for i, sum := range row {
			sums[i] += uint64(until-from) * sum
		}
		if from = until; until == (at+1)*height {
			for i, sum := range sums {
				out.Pix[at*out.Stride+4*(i/3)+i%3] = byte((sum + area/2) / area)
			}
			for x := range out.Rect.Dx() {
				out.Pix[at*out.Stride+4*x+3] = 0xff
			}
			clear(sums)
		}
	}
}
