package terminal

import (
	"time"

	"github.com/schollz/progressbar/v3"
)

// Progress shows a person how far a long work is. In a pipe it shows nothing.
type Progress struct {
	bar *progressbar.ProgressBar
}

// ShowsProgress reports whether a person sees it.
func (t *Terminal) ShowsProgress() bool { return t.errTTY }

// NewProgress starts a bar for a work of so many steps; -1 if nobody knows.
func (t *Terminal) NewProgress(total int, what string) *Progress {
	if !t.errTTY {
		return &Progress{}
	}
	return &Progress{progressbar.NewOptions(total,
		progressbar.OptionSetWriter(t.Err),
		progressbar.OptionSetDescription(what),
		progressbar.OptionSetWidth(24),
		progressbar.OptionShowCount(),
		progressbar.OptionThrottle(65*time.Millisecond),
		progressbar.OptionSetTheme(progressbar.Theme{Saucer: "█", SaucerPadding: "░", BarStart: "", BarEnd: ""}),
		progressbar.OptionClearOnFinish(),
		progressbar.OptionSetSpinnerChangeInterval(0), // or it writes on its own, even when it is done
	)}
}

// Add says that so many more steps are done.
func (p *Progress) Add(steps int) {
	if p.bar != nil {
		p.bar.Add(steps)
	}
}

// Total says how many steps there are, once that is known.
func (p *Progress) Total(steps int) {
	if p.bar != nil && steps > 0 && p.bar.GetMax() != steps {
		p.bar.ChangeMax(steps)
	}
}

// Hide takes the bar away until the next Add, so that lines can be written.
func (p *Progress) Hide() {
	if p.bar != nil {
		p.bar.Clear()
	}
}

// Done takes the bar away.
func (p *Progress) Done() { p.Hide() }
