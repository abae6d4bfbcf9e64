package cover

import (
	"image"
	"image/color"
	"testing"
)

// A picture is scaled as it is in memory. That gives what converting it first would give.
func TestScalingBeforeConvertingGivesTheSamePicture(t *testing.T) {
	t.Parallel()
	const width, height = 323, 487 // odd, so that the last colours are of half a pixel
	for _, to := range []Size{{width, height}, {200, 300}, {7, 100}, {1, 1}} {
		for ratio := image.YCbCrSubsampleRatio444; ratio <= image.YCbCrSubsampleRatio410; ratio++ {
			m := image.NewYCbCr(image.Rect(0, 0, width, height), ratio)
			for y := range height {
				for x := range width {
					m.Y[m.YOffset(x, y)] = byte(60 + (x*7+y*3)%128)
					m.Cb[m.COffset(x, y)] = byte(100 + x/20)
					m.Cr[m.COffset(x, y)] = byte(100 + y/30)
				}
			}
			isLike(t, shrink(m, to), shrinkStrips(m, to), ratio)
			part := m.SubImage(image.Rect(80, 160, width, height))
			isLike(t, shrink(part, to), shrinkStrips(part, to), ratio)
		}
		opaque := image.NewNRGBA(image.Rect(0, 0, width, height))
		for i := range opaque.Pix {
			opaque.Pix[i] = byte(i*i/1000) | byte(255*(i%4/3))
		}
		isLike(t, shrink(opaque, to), shrinkStrips(opaque, to), "opaque")
		part := opaque.SubImage(image.Rect(80, 160, width, height))
		isLike(t, shrink(part, to), shrinkStrips(part, to), "a part")
	}
}

// isLike compares pixels. The colours of one are rounded before they are converted.
func isLike(t *testing.T, got, want *image.RGBA, kind any) {
	t.Helper()
	if got.Rect != want.Rect {
		t.Fatalf("%v: %v instead of %v", kind, got.Rect, want.Rect)
	}
	for y := range got.Rect.Dy() {
		for x := range got.Rect.Dx() {
			if a, b := got.RGBAAt(x, y), want.RGBAAt(x, y); distance(a, b) > 4 {
				t.Fatalf("%v in %v at %d, %d: %v instead of %v", kind, got.Rect, x, y, a, b)
			}
		}
	}
}

func distance(a, b color.RGBA) int {
	far := func(a, b uint8) int { return int(max(a, b) - min(a, b)) }
	return max(far(a.R, b.R), far(a.G, b.G), far(a.B, b.B), far(a.A, b.A))
}
