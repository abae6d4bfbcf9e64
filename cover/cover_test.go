package cover_test

import (
	"bytes"
	"compress/zlib"
	"context"
	"encoding/binary"
	"hash/crc32"
	"image"
	"image/color"
	"image/jpeg"
	"image/png"
	"os"
	"slices"
	"strings"
	"testing"

	"example.org/library/cover"
	"example.org/library/internal/testkit"
)

// pictures makes the pictures of a file.
func pictures(file []byte) (cover.Pictures, error) {
	source, err := cover.Read(file)
	if err != nil {
		return cover.Pictures{}, err
	}
	return source.Pictures(context.Background())
}

func mustRead(t *testing.T, name string) []byte {
	t.Helper()
	file, err := os.ReadFile("testdata/" + name)
	testkit.NoError(t, err)
	return file
}

func pngOf(t testing.TB, m image.Image) []byte {
	t.Helper()
	var b bytes.Buffer
	testkit.NoError(t, png.Encode(&b, m))
	return b.Bytes()
}

func jpegOf(t testing.TB, m image.Image) []byte {
	t.Helper()
	var b bytes.Buffer
	testkit.NoError(t, jpeg.Encode(&b, m, &jpeg.Options{Quality: 95}))
	return b.Bytes()
}

func decoded(t *testing.T, file []byte) image.Image {
	t.Helper()
	m, err := jpeg.Decode(bytes.NewReader(file))
	testkit.NoError(t, err)
	return m
}

// isNear reports whether a colour is about as it should be: JPEG is not exact.
func isNear(got color.Color, want color.RGBA) bool {
	r, g, b, _ := got.RGBA()
	far := func(got uint32, want uint8) bool { return max(got>>8, uint32(want))-min(got>>8, uint32(want)) > 12 }
	return !far(r, want.R) && !far(g, want.G) && !far(b, want.B)
}

var (
	red   = color.RGBA{255, 0, 0, 255}
	blue  = color.RGBA{0, 0, 255, 255}
	white = color.RGBA{255, 255, 255, 255}
)

// halves is red on the left and blue on the right.
func halves(width, height int) *image.RGBA {
	m := image.NewRGBA(image.Rect(0, 0, width, height))
	for y := range height {
		for x := range width {
			if x < width/2 {
				m.SetRGBA(x, y, red)
			} else {
				m.SetRGBA(x, y, blue)
			}
		}
	}
	return m
}

func TestPicturesAreScaledDownAndNeverUp(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ width, height, largeW, largeH, smallW, smallH int }{
		{1280, 1920, 640, 960, 200, 300},
		{2000, 1000, 640, 320, 200, 100},
		{1000, 4000, 240, 960, 75, 300},
		{640, 960, 640, 960, 200, 300},
		{100, 150, 100, 150, 100, 150},
		{300, 300, 300, 300, 200, 200},
		{1, 1, 1, 1, 1, 1},
		{20000, 1, 640, 1, 200, 1},
		{1, 20000, 1, 960, 1, 300},
		{641, 961, 640, 960, 200, 300},
	} {
		made, err := pictures(pngOf(t, halves(tt.width, tt.height)))
		testkit.NoError(t, err)
		large, small := decoded(t, made.Large).Bounds(), decoded(t, made.Small).Bounds()
		if large.Dx() != tt.largeW || large.Dy() != tt.largeH || small.Dx() != tt.smallW || small.Dy() != tt.smallH {
			t.Errorf("%dx%d became %v and %v", tt.width, tt.height, large, small)
		}
	}
}

func TestNothingOfThePictureIsLostInScaling(t *testing.T) {
	t.Parallel()
	made, err := pictures(pngOf(t, halves(3001, 1999)))
	testkit.NoError(t, err)
	for _, file := range [][]byte{made.Large, made.Small} {
		m := decoded(t, file)
		b := m.Bounds()
		if !isNear(m.At(2, 2), red) || !isNear(m.At(b.Dx()-3, b.Dy()-3), blue) || !isNear(m.At(b.Dx()/2-9, 5), red) || !isNear(m.At(b.Dx()/2+9, 5), blue) {
			t.Errorf("%v: the halves are not where they were", b)
		}
	}
}

// Thin lines become grey: every pixel counts.
func TestScalingIsTheMeanOfWhatIsCovered(t *testing.T) {
	t.Parallel()
	m := image.NewGray(image.Rect(0, 0, 1280, 1920))
	for y := range 1920 {
		for x := range 1280 {
			m.SetGray(x, y, color.Gray{uint8(255 * (x % 2))})
		}
	}
	made, err := pictures(pngOf(t, m))
	testkit.NoError(t, err)
	if got := decoded(t, made.Large).At(300, 300); !isNear(got, color.RGBA{128, 128, 128, 255}) {
		t.Errorf("lines became %v", got)
	}
}

func TestWhiteIsBehindWhatIsTransparent(t *testing.T) {
	t.Parallel()
	glass := image.NewNRGBA(image.Rect(0, 0, 40, 40))
	for y := range 40 {
		for x := range 20 {
			glass.SetNRGBA(x, y, color.NRGBA{255, 0, 0, 128})
		}
	}
	glass16 := image.NewNRGBA64(glass.Rect)
	for y := range 40 {
		for x := range 40 {
			glass16.Set(x, y, glass.At(x, y))
		}
	}
	for _, m := range []image.Image{glass, glass16} {
		made, err := pictures(pngOf(t, m))
		testkit.NoError(t, err)
		if got := decoded(t, made.Large); !isNear(got.At(35, 20), white) || !isNear(got.At(5, 20), color.RGBA{255, 127, 127, 255}) {
			t.Errorf("%T: %v and %v", m, got.At(35, 20), got.At(5, 20))
		}
	}
	for _, name := range []string{"gopher-doc.with-alpha.lossless.webp", "yellow_rose.lossy-with-alpha.webp"} {
		made, err := pictures(mustRead(t, name))
		testkit.NoError(t, err)
		if got := decoded(t, made.Large).At(1, 1); !isNear(got, white) {
			t.Errorf("%s: the corner is %v", name, got)
		}
	}
}

func TestEveryKindOfFileIsReadByWhatItIs(t *testing.T) {
	t.Parallel()
	for name, file := range map[string][]byte{
		"jpeg": jpegOf(t, halves(30, 30)), "png": pngOf(t, halves(30, 30)), "16 bits": mustRead(t, "basn6a16.png"),
		"cmyk": mustRead(t, "video-001.cmyk.jpeg"), "progressive": mustRead(t, "video-001.q50.420.progressive.jpeg"),
		"lossy webp": mustRead(t, "video-001.lossy.webp"), "lossless webp": mustRead(t, "gopher-doc.with-alpha.lossless.webp"),
	} {
		made, err := pictures(file)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		decoded(t, made.Large)
		decoded(t, made.Small)
	}
	// The same picture in CMYK, in several scans and in WebP looks the same.
	whole, err := pictures(mustRead(t, "video-001.lossy.webp"))
	testkit.NoError(t, err)
	first := decoded(t, whole.Large)
	for _, name := range []string{"video-001.cmyk.jpeg", "video-001.q50.420.progressive.jpeg"} {
		made, err := pictures(mustRead(t, name))
		testkit.NoError(t, err)
		other := decoded(t, made.Large)
		for _, p := range []image.Point{{20, 20}, {75, 50}, {120, 80}} {
			if got, want := brightness(other.At(p.X, p.Y)), brightness(first.At(p.X, p.Y)); max(got, want)-min(got, want) > 70 {
				t.Errorf("%s at %v: %v instead of %v", name, p, other.At(p.X, p.Y), first.At(p.X, p.Y))
			}
		}
	}
}

func brightness(c color.Color) uint8 { return color.GrayModel.Convert(c).(color.Gray).Y }

// withExif puts EXIF data with an orientation into a JPEG, and a secret beside it.
func withExif(file []byte, order binary.AppendByteOrder, mark string, turn uint16) []byte {
	tiff := []byte(mark)
	tiff = order.AppendUint32(tiff, 8)
	tiff = order.AppendUint16(tiff, 2)
	for _, entry := range [][4]uint32{{0x010f, 2, 7, 38}, {0x0112, 3, 1, 0}} {
		tiff = order.AppendUint16(tiff, uint16(entry[0]))
		tiff = order.AppendUint16(tiff, uint16(entry[1]))
		tiff = order.AppendUint32(tiff, entry[2])
		if entry[0] == 0x0112 {
			tiff = order.AppendUint16(tiff, turn)
			tiff = order.AppendUint16(tiff, 0)
		} else {
			tiff = order.AppendUint32(tiff, entry[3])
		}
	}
	segment := append([]byte("Exif\x00\x00"), append(tiff, "SECRET of the camera"...)...)
	head := binary.BigEndian.AppendUint16([]byte{0xff, 0xd8, 0xff, 0xe1}, uint16(len(segment)+2))
	return slices.Concat(head, segment, file[2:])
}

func TestAPictureIsTurnedAsItsExifDataSay(t *testing.T) {
	t.Parallel()
	// corner is where the top left of the upright picture is: seen as (right, bottom).
	upright := image.NewRGBA(image.Rect(0, 0, 40, 80))
	for y := range 80 {
		for x := range 40 {
			switch {
			case x < 20 && y < 40:
				upright.SetRGBA(x, y, red)
			case y < 40:
				upright.SetRGBA(x, y, blue)
			default:
				upright.SetRGBA(x, y, white)
			}
		}
	}
	for turn := uint16(1); turn <= 8; turn++ {
		for mark, order := range map[string]binary.AppendByteOrder{"II*\x00": binary.LittleEndian, "MM\x00*": binary.BigEndian} {
			file := withExif(jpegOf(t, asTaken(upright, turn)), order, mark, turn)
			made, err := pictures(file)
			testkit.NoError(t, err)
			for _, one := range [][]byte{made.Large, made.Small} {
				m := decoded(t, one)
				if m.Bounds().Dx() != 40 || m.Bounds().Dy() != 80 || !isNear(m.At(5, 5), red) || !isNear(m.At(35, 5), blue) || !isNear(m.At(5, 75), white) {
					t.Errorf("%d, %q: %v: %v %v %v", turn, mark, m.Bounds(), m.At(5, 5), m.At(35, 5), m.At(5, 75))
				}
				if bytes.Contains(one, []byte("SECRET")) || bytes.Contains(one, []byte("Exif")) {
					t.Errorf("%d: the EXIF data are still there", turn)
				}
			}
		}
	}
}

// asTaken is how a camera has kept the picture that is upright when turned: the words are
// those of the EXIF standard, where row 0 and column 0 of the file are seen.
func asTaken(upright *image.RGBA, turn uint16) image.Image {
	w, h := upright.Rect.Dx(), upright.Rect.Dy()
	seen := map[uint16]func(row, column int) (x, y int){
		1: func(r, c int) (int, int) { return c, r },                 // top, left
		2: func(r, c int) (int, int) { return w - 1 - c, r },         // top, right
		3: func(r, c int) (int, int) { return w - 1 - c, h - 1 - r }, // bottom, right
		4: func(r, c int) (int, int) { return c, h - 1 - r },         // bottom, left
		5: func(r, c int) (int, int) { return r, c },                 // left, top
		6: func(r, c int) (int, int) { return w - 1 - r, c },         // right, top
		7: func(r, c int) (int, int) { return w - 1 - r, h - 1 - c }, // right, bottom
		8: func(r, c int) (int, int) { return r, h - 1 - c },         // left, bottom
	}[turn]
	columns, rows := w, h
	if turn >= 5 {
		columns, rows = h, w
	}
	m := image.NewRGBA(image.Rect(0, 0, columns, rows))
	for r := range rows {
		for c := range columns {
			m.Set(c, r, upright.At(seen(r, c)))
		}
	}
	return m
}

func TestBrokenExifDataAreNoObstacle(t *testing.T) {
	t.Parallel()
	plain := jpegOf(t, halves(30, 20))
	for name, file := range map[string][]byte{
		"turn 0": withExif(plain, binary.LittleEndian, "II*\x00", 0), "turn 9": withExif(plain, binary.LittleEndian, "II*\x00", 9),
		"no order": withExif(plain, binary.LittleEndian, "XX*\x00", 6),
		"far away": bytes.Replace(withExif(plain, binary.LittleEndian, "II*\x00", 6), []byte("II*\x00\x08\x00\x00\x00"), []byte("II*\x00\xff\xff\xff\xff"), 1),
	} {
		made, err := pictures(file)
		if err != nil || decoded(t, made.Large).Bounds().Dx() != 30 {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestWhatIsNoPictureIsRefused(t *testing.T) {
	t.Parallel()
	for name, file := range map[string]string{
		"nothing": "", "text": "hello", "html": "<html><script>alert(1)</script>", "svg": `<svg xmlns="http://www.w3.org/2000/svg"/>`,
		"gif":              "GIF89a\x01\x00\x01\x00\x80\x00\x00\xff\xff\xff\x00\x00\x00!\xf9\x04\x01\x00\x00\x00\x00,\x00\x00\x00\x00\x01\x00\x01\x00\x00\x02\x02D\x01\x00;",
		"jpeg's beginning": "\xff\xd8\xff\xe0", "png's beginning": "\x89PNG\r\n\x1a\n", "webp's beginning": "RIFF\x00\x00\x00\x00WEBPVP8 ",
		"bmp": "BM" + strings.Repeat("\x00", 100), "pdf": "%PDF-1.7",
	} {
		if _, err := pictures([]byte(file)); err != cover.ErrBad {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestATruncatedFileIsRefused(t *testing.T) {
	t.Parallel()
	for name, file := range map[string][]byte{
		"jpeg": jpegOf(t, halves(60, 60)), "png": pngOf(t, halves(60, 60)), "progressive": mustRead(t, "video-001.q50.420.progressive.jpeg"),
		"webp": mustRead(t, "video-001.lossy.webp"), "lossless": mustRead(t, "gopher-doc.with-alpha.lossless.webp"),
	} {
		for _, part := range []float64{0.1, 0.3, 0.5, 0.7, 0.9} {
			if _, err := pictures(file[:int(part*float64(len(file)))]); err != cover.ErrBad {
				t.Errorf("%s, %v of it: %v", name, part, err)
			}
		}
	}
}

// A scan takes a walk over all pixels and can be written in a few bytes.
func TestAPictureOfVeryManyScansIsRefused(t *testing.T) {
	t.Parallel()
	file := mustRead(t, "video-001.q50.420.progressive.jpeg")
	scans := bytes.Count(file, []byte{0xff, 0xda})
	// The first one again and again, with a comment that has the mark of the end in it.
	first := bytes.Index(file, []byte{0xff, 0xda})
	end := first + bytes.Index(file[first:], []byte{0xff, 0xc4})
	more := append([]byte{0xff, 0xfe, 0, 4, 0xff, 0xd9}, file[first:end]...)
	for n, want := range map[int]error{1: nil, 100 - scans: nil, 101 - scans: cover.ErrBad, 3000: cover.ErrBad} {
		if _, err := pictures(slices.Concat(file[:end], bytes.Repeat(more, n), file[end:])); err != want {
			t.Errorf("%d scans: %v, want %v", scans+n, err, want)
		}
	}
}

// bomb is a PNG that claims a size and has next to nothing in it.
func bomb(width, height uint32, colour byte) []byte {
	chunk := func(kind string, data []byte) []byte {
		body := append([]byte(kind), data...)
		return binary.BigEndian.AppendUint32(append(binary.BigEndian.AppendUint32(nil, uint32(len(data))), body...), crc32.ChecksumIEEE(body))
	}
	header := binary.BigEndian.AppendUint32(binary.BigEndian.AppendUint32(nil, width), height)
	var packed bytes.Buffer
	z := zlib.NewWriter(&packed)
	z.Write(make([]byte, 1<<16))
	z.Close()
	return slices.Concat([]byte("\x89PNG\r\n\x1a\n"), chunk("IHDR", append(header, 8, colour, 0, 0, 0)), chunk("IDAT", packed.Bytes()), chunk("IEND", nil))
}

func TestTooManyPixelsAreSeenBeforeDecoding(t *testing.T) {
	t.Parallel()
	jpegBomb := jpegOf(t, halves(16, 16))
	frame := bytes.Index(jpegBomb, []byte{0xff, 0xc0})
	binary.BigEndian.PutUint16(jpegBomb[frame+5:], 65535)
	binary.BigEndian.PutUint16(jpegBomb[frame+7:], 65535)
	webpBomb := slices.Concat([]byte("RIFF\x1e\x00\x00\x00WEBPVP8X\x0a\x00\x00\x00\x10\x00\x00\x00"), []byte{0xff, 0xff, 0x00, 0xff, 0x7e, 0x00}, []byte("VP8 \x00\x00\x00\x00"))
	for name, file := range map[string][]byte{
		"png": bomb(100_000, 100_000, 2), "one more": bomb(8001, 5000, 2), "wide": bomb(1<<31-1, 1<<31-1, 2), "jpeg": jpegBomb, "webp": webpBomb,
	} {
		if _, err := cover.Read(file); err != cover.ErrTooLarge {
			t.Errorf("%s: %v", name, err)
		}
	}
	source, err := cover.Read(bomb(8000, 5000, 2))
	testkit.NoError(t, err)
	if _, err := source.Pictures(t.Context()); err != cover.ErrBad { // most of it is not there
		t.Errorf("40 million pixels that are not there: %v", err)
	}
}

// A WebP whose outer header says that it is small, and whose picture is not.
func TestASmallHeaderBeforeALargePictureIsRefused(t *testing.T) {
	t.Parallel()
	inner := mustRead(t, "video-001.lossy.webp")[12:]
	file := slices.Concat([]byte("RIFF"), binary.LittleEndian.AppendUint32(nil, uint32(4+18+len(inner))), []byte("WEBPVP8X\x0a\x00\x00\x00\x00\x00\x00\x00"), make([]byte, 6), inner)
	if _, err := pictures(file); err != cover.ErrBad {
		t.Error(err)
	}
}

func TestNothingElseOfAFileIsInThePictures(t *testing.T) {
	t.Parallel()
	const script = "<script>alert('SECRET')</script>"
	comment := slices.Concat([]byte{0xff, 0xfe}, binary.BigEndian.AppendUint16(nil, uint16(len(script)+2)), []byte(script))
	plain := jpegOf(t, halves(50, 50))
	for name, file := range map[string][]byte{
		"behind a jpeg": append(plain, script+"PK\x05\x06"...), "in a comment": slices.Concat(plain[:2], comment, plain[2:]),
		"behind a png": append(pngOf(t, halves(50, 50)), script...),
	} {
		made, err := pictures(file)
		if err != nil {
			t.Errorf("%s: %v", name, err)
		}
		for _, one := range [][]byte{made.Large, made.Small} {
			if bytes.Contains(one, []byte("SECRET")) || bytes.Contains(one, []byte{0xff, 0xe1}) || bytes.Contains(one, []byte{0xff, 0xfe}) || !bytes.HasSuffix(one, []byte{0xff, 0xd9}) {
				t.Errorf("%s: something is left of it", name)
			}
		}
	}
}

func TestTheMemoryOfAPictureIsKnownBeforehand(t *testing.T) {
	t.Parallel()
	for _, size := range [][2]uint32{{8000, 5000}, {40_000_000, 1}, {1, 40_000_000}, {65535, 610}} {
		for depth, pixel := range map[byte]int{8: 4, 16: 8} {
			file := bomb(size[0], size[1], 6)
			file[24], file[28] = depth, 1 // and in passes
			binary.BigEndian.PutUint32(file[29:], crc32.ChecksumIEEE(file[12:29]))
			source, err := cover.Read(file)
			testkit.NoError(t, err)
			least := pixel*source.Width*source.Height*3/2 + 2*pixel*source.Width // the decoder keeps two rows
			if source.Bytes() > cover.MaxBytes || source.Bytes() < least {
				t.Errorf("%v, %d bits: %d bytes", size, depth, source.Bytes())
			}
		}
	}
}

func FuzzRead(f *testing.F) {
	f.Add(jpegOf(f, halves(9, 7)))
	f.Add(withExif(jpegOf(f, halves(9, 7)), binary.LittleEndian, "II*\x00", 6))
	f.Add(pngOf(f, halves(9, 7)))
	f.Add(bomb(20, 20, 2))
	for _, name := range []string{"video-001.lossy.webp", "gopher-doc.with-alpha.lossless.webp", "basn6a16.png", "video-001.q50.420.progressive.jpeg"} {
		file, err := os.ReadFile("testdata/" + name)
		testkit.NoError(f, err)
		f.Add(file)
	}
	f.Fuzz(func(t *testing.T, file []byte) {
		source, err := cover.Read(file)
		if err != nil || source.Width*source.Height > 1<<20 {
			return // large ones are too slow to fuzz
		}
		made, err := source.Pictures(t.Context())
		if err != nil {
			return
		}
		for one, box := range map[*[]byte]cover.Size{&made.Large: cover.Large, &made.Small: cover.Small} {
			config, err := jpeg.DecodeConfig(bytes.NewReader(*one))
			if err != nil || config.Width > box.Width || config.Height > box.Height {
				t.Errorf("%v: %dx%d", err, config.Width, config.Height)
			}
		}
	})
}
