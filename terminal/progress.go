package terminal

import (
	"time"

	"github.com/schollz/progressbar/v3"
)

// Progress shows a person how far a long work is. In a pipe it shows nothing.
type Progress struct {
	bar *progressbar.ProgressBar
}

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
	)}
}

// Add says that so many more steps are done.
func (p *Progress) Add(steps int) {
	if p.bar != nil {
		p.bar.Add(steps)
	}
}

// Done takes the bar away.
func (p *Progress) Done() {
	if p.bar != nil {
		p.bar.Clear()
	}
}
