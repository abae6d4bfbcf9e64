package sample

import (
	"bytes"
	"image"
	"image/color"
	"image/jpeg"
	"math"

	"example.org/library"
)

// palette has the colours of a drawn cover: the sky from top to bottom, and the sun.
type palette struct{ top, bottom, sun color.RGBA }

// covers are drawn for some books: a library has covers of some, and the browser makes up the others.
var covers = map[string]palette{
	idFrankenstein: {color.RGBA{24, 32, 64, 255}, color.RGBA{88, 112, 96, 255}, color.RGBA{220, 232, 170, 255}},
	idDracula:      {color.RGBA{20, 8, 16, 255}, color.RGBA{120, 16, 32, 255}, color.RGBA{236, 220, 200, 255}},
	idMobyDick:     {color.RGBA{150, 190, 210, 255}, color.RGBA{16, 64, 104, 255}, color.RGBA{248, 248, 240, 255}},
	idPetitPrince:  {color.RGBA{16, 32, 88, 255}, color.RGBA{232, 168, 88, 255}, color.RGBA{255, 224, 120, 255}},
	idHomoFaber:    {color.RGBA{232, 120, 48, 255}, color.RGBA{248, 208, 144, 255}, color.RGBA{176, 40, 24, 255}},
}

// draw draws both pictures of a cover, in the largest sizes of package cover.
func draw(p palette) (made library.CoverPictures, err error) {
	if made.Large, err = drawn(p, 640, 960); err != nil {
		return made, err
	}
	made.Small, err = drawn(p, 200, 300)
	return made, err
}

func drawn(p palette, width, height int) ([]byte, error) {
	m := image.NewRGBA(image.Rect(0, 0, width, height))
	for y := range height {
		for x := range width {
			down, right := float64(y)/float64(height), float64(x)/float64(width)
			c := mixed(p.top, p.bottom, down)
			distance := math.Hypot(right-0.5, 1.5*(down-0.4)) - 0.28 // of the sun's edge
			c = mixed(c, p.sun, 0.5-distance*float64(width)/2)
			waves := down - 0.72 - 0.03*math.Sin(right*12)
			m.SetRGBA(x, y, mixed(c, p.top, min(0.8, 0.5+waves*float64(height)/2)))
		}
	}
	var out bytes.Buffer
	err := jpeg.Encode(&out, m, &jpeg.Options{Quality: 80})
	return out.Bytes(), err
}

// mixed mixes two colours, with a share of the second from 0 to 1.
func mixed(a, b color.RGBA, share float64) color.RGBA {
	share = max(0, min(1, share))
	mix := func(a, b uint8) uint8 { return uint8(float64(a) + share*(float64(b)-float64(a))) }
	return color.RGBA{mix(a.R, b.R), mix(a.G, b.G), mix(a.B, b.B), 255}
}
