package cover_test

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"slices"
	"testing"

	"example.org/library/cover"
	"example.org/library/internal/testkit"
)

// grey returns a grey JPEG that comes in a number of scans. After the first, a scan says in two bytes that 32,767 blocks of 64
// pixels stay as they are, and makes the decoder walk over all of them.
func grey(width, height uint16, scans int) []byte {
	segment := func(marker byte, data ...byte) []byte {
		return append(binary.BigEndian.AppendUint16([]byte{0xff, marker}, uint16(len(data)+2)), data...)
	}
	table := func(class, symbol byte) []byte { // one code, of one bit
		return segment(0xc4, append(append([]byte{class, 1}, make([]byte, 15)...), symbol)...)
	}
	frame := binary.BigEndian.AppendUint16(binary.BigEndian.AppendUint16([]byte{8}, height), width)
	const longestRun = 1<<15 - 1
	blocks := (int(width) + 7) / 8 * ((int(height) + 7) / 8)
	file := slices.Concat([]byte{0xff, 0xd8}, segment(0xdb, append([]byte{0}, bytes.Repeat([]byte{1}, 64)...)...),
		segment(0xc2, append(frame, 1, 1, 0x11, 0)...), table(0x00, 0), table(0x10, 0xe0),
		segment(0xda, 1, 1, 0, 0, 0, 0), make([]byte, (blocks+7)/8))
	for range scans - 1 {
		bits := 0 // a run is the bit 0 and 14 bits, all of which are 1 here
		file = append(file, segment(0xda, 1, 1, 0, 1, 63, 0x10)...)
		var packed []byte
		for range (blocks + longestRun - 1) / longestRun {
			for bit := range 15 {
				if bits%8 == 0 {
					packed = append(packed, 0)
				}
				if bit > 0 {
					packed[bits/8] |= 0x80 >> (bits % 8)
				}
				bits++
			}
		}
		file = append(file, bytes.ReplaceAll(packed, []byte{0xff}, []byte{0xff, 0})...)
	}
	return append(file, 0xff, 0xd9)
}

func TestPixelsTimesScansAreBoundedBeforeDecoding(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		width, height uint16
		scans         int
		want          error
	}{
		{8000, 5000, 12, nil}, // more than programs write
		{8000, 5000, 13, cover.ErrTooLarge},
		{8000, 5000, 99, cover.ErrTooLarge},
		{2000, 3000, 80, nil},
		{2000, 3000, 99, cover.ErrTooLarge},
		{200, 300, 99, nil},
		{1, 65535, 100, nil}, // 32 times as much work as its pixels say
		{200, 65535, 100, cover.ErrTooLarge},
	} {
		if _, err := cover.Read(grey(tt.width, tt.height, tt.scans)); err != tt.want {
			t.Errorf("%d x %d in %d scans: %v, want %v", tt.width, tt.height, tt.scans, err, tt.want)
		}
	}
	made, err := pictures(grey(200, 300, 99))
	testkit.NoError(t, err)
	if got := decoded(t, made.Large).Bounds(); got.Dx() != 200 || got.Dy() != 300 {
		t.Errorf("a small picture in 99 scans became %v", got)
	}
}

// leaves is the context of a caller who leaves after a number of questions.
type leaves struct {
	context.Context
	after int
}

func (l *leaves) Err() error {
	l.after--
	if l.after < 0 {
		return context.Canceled
	}
	return nil
}

func TestDecodingEndsWhenTheCallerHasGone(t *testing.T) {
	t.Parallel()
	for name, file := range map[string][]byte{
		"progressive": grey(2000, 3000, 50), "jpeg": jpegOf(t, halves(900, 900)), "png": pngOf(t, photo(300, 300)),
		"lossy": mustRead(t, "video-001.lossy.webp"), "lossless": mustRead(t, "gopher-doc.with-alpha.lossless.webp"),
	} {
		source, err := cover.Read(file)
		testkit.NoError(t, err)
		for _, after := range []int{0, 1, 3} {
			ctx := &leaves{t.Context(), after}
			if _, err := source.Pictures(ctx); !errors.Is(err, context.Canceled) {
				t.Errorf("%s: %v after %d questions", name, err, after)
			}
			if ctx.after < -3 {
				t.Errorf("%s: %d questions after the caller has gone", name, -ctx.after)
			}
		}
	}
}
