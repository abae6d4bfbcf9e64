package cover_test

import (
	"image"
	"math/rand/v2"
	"testing"

	"example.org/library/cover"
)

// photo is what a camera makes: smooth, with some grain.
func photo(width, height int) *image.RGBA {
	m := image.NewRGBA(image.Rect(0, 0, width, height))
	grain := rand.New(rand.NewPCG(1, 2))
	for y := range height {
		for x := range width {
			g := uint8(grain.IntN(16))
			p := m.Pix[y*m.Stride+4*x:]
			p[0], p[1], p[2], p[3] = uint8(x*200/width)+g, uint8(y*200/height)+g, uint8((x+y)%200)+g, 255
		}
	}
	return m
}

// BenchmarkPictures makes the pictures of a photo of 12 million pixels, of a cover as shops
// have it, and of a small one.
func BenchmarkPictures(b *testing.B) {
	for _, one := range []struct {
		name          string
		width, height int
	}{{"photo", 3000, 4000}, {"shop", 1000, 1500}, {"small", 400, 600}} {
		m := photo(one.width, one.height)
		for kind, file := range map[string][]byte{"jpeg": jpegOf(b, m), "png": pngOf(b, m)} {
			b.Run(one.name+"/"+kind, func(b *testing.B) {
				for b.Loop() {
					source, err := cover.Read(file)
					if err != nil {
						b.Fatal(err)
					}
					if _, err := source.Pictures(b.Context()); err != nil {
						b.Fatal(err)
					}
				}
			})
		}
	}
}
