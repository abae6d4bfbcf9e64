package terminal

import (
	"time"

	"github.com/schollz/progressbar/v3"
)

// Progress shows a person the progress of long work. In a pipe it shows nothing.
type Progress struct {
	bar *progressbar.ProgressBar
}

// ShowsProgress reports whether a person sees the progress.
func (t *Terminal) ShowsProgress() bool { return t.errTTY }

// NewProgress starts a bar for a number of steps; -1 if it is not known.
func (t *Terminal) NewProgress(total int, what string) *Progress {
	return t.newProgress(int64(total), what, progressbar.OptionShowCount())
}

// NewByteProgress starts a bar for a number of bytes; -1 if it is not known.
func (t *Terminal) NewByteProgress(total int64, what string) *Progress {
	return t.newProgress(total, what, progressbar.OptionShowCount(), progressbar.OptionShowBytes(true))
}

// NewWait names the work in progress if there is nothing to count.
func (t *Terminal) NewWait(what string) *Progress {
	// Nothing is counted: there is no bar, as it would stand still.
	p := t.newProgress(-1, what+" …", progressbar.OptionSpinnerCustom([]string{""}), progressbar.OptionSetElapsedTime(false))
	if p.bar != nil {
		p.bar.RenderBlank() // no call of Add would do it
	}
	return p
}

func (t *Terminal) newProgress(total int64, what string, options ...progressbar.Option) *Progress {
	if !t.errTTY {
		return &Progress{}
	}
	return &Progress{progressbar.NewOptions64(total, append(options,
		progressbar.OptionSetWriter(t.Err),
		progressbar.OptionSetDescription(what),
		progressbar.OptionSetWidth(24),
		progressbar.OptionThrottle(65*time.Millisecond),
		progressbar.OptionSetTheme(progressbar.Theme{Saucer: "█", SaucerPadding: "░", BarStart: "", BarEnd: ""}),
		progressbar.OptionClearOnFinish(),
		progressbar.OptionSetSpinnerChangeInterval(0), // or it writes on its own, even when it is done
	)...)}
}

// Add counts more steps as done.
func (p *Progress) Add(steps int) { p.AddBytes(int64(steps)) }

// AddBytes counts n more bytes as done.
func (p *Progress) AddBytes(n int64) {
	if p.bar != nil {
		p.bar.Add64(n)
	}
}

// Total sets the number of steps, once it is known.
func (p *Progress) Total(steps int) {
	if p.bar != nil && steps > 0 && p.bar.GetMax() != steps {
		p.bar.ChangeMax(steps)
	}
}

// Hide takes the bar away until the next Add, to make room for lines of text.
func (p *Progress) Hide() {
	if p.bar != nil {
		p.bar.Clear()
	}
}

// Done takes the bar away.
func (p *Progress) Done() { p.Hide() }
