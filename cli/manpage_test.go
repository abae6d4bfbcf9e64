package cli

import (
	"testing"

	"example.org/library/internal/testkit"
)

func TestRoffStandsForItself(t *testing.T) {
	t.Parallel()
	p := &page{}
	p.line(".TH is not a request, 'nor this; C:\\dir")
	p.macro("B", `say "--yes"`)
	p.literal("  .nf\n")
	want := "\\&.TH is not a request, \\(aqnor this; C:\\edir\n.B \"say \\(dq\\-\\-yes\\(dq\"\n.nf\n\\&  .nf\n.fi\n"
	testkit.Equal(t, p.String(), want)
}
