package cover

import (
	"bytes"
	"encoding/binary"
	"image"
	"image/color"
)

// Markers of a JPEG file.
const (
	startOfScan      = 0xda
	endOfImage       = 0xd9
	exifSegment      = 0xe1
	progressiveFrame = 0xc2
	firstRestart     = 0xd0
	lastRestart      = 0xd7
)

// maxScans limits the scans of a picture, and maxScanned their pixels together. Programs write some
// ten scans. Each makes the decoder walk over all pixels, and can be written in a few bytes.
const (
	maxScans   = 100
	maxScanned = 500_000_000
)

// segments walks the segments of a JPEG file to the end of its picture, as the decoder does:
// whatever else is between two of them is passed over.
func segments(file []byte) func(yield func(marker byte, data []byte) bool) {
	return func(yield func(marker byte, data []byte) bool) {
		for at := 2; at < len(file); {
			begin := bytes.IndexByte(file[at:], 0xff)
			if begin < 0 {
				return
			}
			for at += begin; at < len(file) && file[at] == 0xff; { // several fill up
				at++
			}
			if at == len(file) {
				return
			}
			marker := file[at]
			at++
			length := 0
			switch {
			case marker == 0, firstRestart <= marker && marker <= lastRestart: // inside of a scan
				continue
			case marker == endOfImage:
				yield(marker, nil)
				return
			case at+2 <= len(file):
				length = int(binary.BigEndian.Uint16(file[at:]))
			}
			if length < 2 || at+length > len(file) || !yield(marker, file[at+2:at+length]) {
				return
			}
			at += length
		}
	}
}

// jpegBytes is for the picture, and for one in several scans also for the numbers of which
// it is made in the end, four bytes for each. Pictures of CMYK and RGB are made out of another one.
func jpegBytes(file []byte, model color.Model) int {
	components, pixel := 3, 3
	switch model {
	case color.CMYKModel:
		components, pixel = 4, 8
	case color.RGBAModel:
		pixel = 7
	}
	for marker := range segments(file) {
		if marker == progressiveFrame {
			return pixel + 4*components
		}
	}
	return pixel
}

// checkScans refuses a truncated file, since the decoder would take a part of several scans for the
// whole. It also refuses scans with too much work.
func checkScans(file []byte, width, height int) error {
	scans, whole := 0, false
	for marker := range segments(file) {
		switch marker {
		case startOfScan:
			scans++
		case endOfImage:
			whole = true
		}
	}
	const unit = 32 // pixels are decoded in squares of at most this size
	pixels := (width + unit - 1) / unit * unit * ((height + unit - 1) / unit * unit)
	switch {
	case !whole || scans == 0 || scans > maxScans:
		return ErrBad
	case scans > 1 && scans > maxScanned/pixels:
		return ErrTooLarge
	}
	return nil
}

// turning is the rotation to turn a picture the right way up: the number that EXIF has for it, 1 to 8.
type turning int

// orientation returns the orientation in the EXIF data of a JPEG, 1 without.
func orientation(file []byte) turning {
	if !formats[0].is(file) {
		return 1
	}
	for marker, data := range segments(file) {
		if marker == startOfScan {
			break
		}
		if tiff, ok := bytes.CutPrefix(data, []byte("Exif\x00\x00")); ok && marker == exifSegment {
			return tiffOrientation(tiff)
		}
	}
	return 1
}

// tiffOrientation looks for the orientation among the first tags.
func tiffOrientation(tiff []byte) turning {
	const (
		header, entry  = 8, 12
		orientationTag = 0x0112
		short          = 3
	)
	if len(tiff) < header {
		return 1
	}
	var order binary.ByteOrder
	switch string(tiff[:4]) {
	case "II*\x00":
		order = binary.LittleEndian
	case "MM\x00*":
		order = binary.BigEndian
	default:
		return 1
	}
	first := uint64(order.Uint32(tiff[4:]))
	if first+2 > uint64(len(tiff)) {
		return 1
	}
	tags := tiff[first+2:]
	for range order.Uint16(tiff[first:]) {
		if len(tags) < entry {
			return 1
		}
		if order.Uint16(tags) == orientationTag && order.Uint16(tags[2:]) == short {
			if t := turning(order.Uint16(tags[8:])); 1 <= t && t <= 8 {
				return t
			}
			return 1
		}
		tags = tags[entry:]
	}
	return 1
}

// swaps reports whether width and height change places.
func (t turning) swaps() bool { return t >= 5 }

// box returns the size of a picture before turning, from the size afterwards.
func (t turning) box(s Size) Size {
	if t.swaps() {
		return Size{s.Height, s.Width}
	}
	return s
}

// apply turns a picture.
func (t turning) apply(m *image.RGBA) *image.RGBA {
	if t == 1 {
		return m
	}
	width, height := m.Rect.Dx(), m.Rect.Dy()
	turned := t.box(Size{width, height})
	out := image.NewRGBA(image.Rect(0, 0, turned.Width, turned.Height))
	for y := range turned.Height {
		for x := range turned.Width {
			fromX, fromY := t.from(x, y, width, height)
			copy(out.Pix[y*out.Stride+4*x:][:4], m.Pix[fromY*m.Stride+4*fromX:][:4])
		}
	}
	return out
}

// from returns the former place of a pixel of the turned picture.
func (t turning) from(x, y, width, height int) (int, int) {
	right, bottom := width-1, height-1
	switch t {
	case 2:
		return right - x, y
	case 3:
		return right - x, bottom - y
	case 4:
		return x, bottom - y
	case 5:
		return y, x
	case 6:
		return y, bottom - x
	case 7:
		return right - y, bottom - x
	case 8:
		return right - y, x
	}
	return x, y
}
