package e2e

import (
	"image"
	"image/color"
	"image/png"
	"strings"
)

// pictureOf is a PNG with this many pixels. It has stripes, so that its file is small.
func pictureOf(width, height int) string {
	picture := image.NewNRGBA(image.Rect(0, 0, width, height))
	for i := range picture.Pix {
		picture.Pix[i] = 0xff
	}
	for y := 0; y < height; y += 10 {
		for x := range width {
			picture.SetNRGBA(x, y, color.NRGBA{R: 200, A: 200})
		}
	}
	var file strings.Builder
	png.Encode(&file, picture) // a Builder fails never
	return file.String()
}
