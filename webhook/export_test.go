package webhook

import "time"

// StartFast starts a worker that waits for little.
func StartFast(cfg Config) (stop func()) {
	cfg.times = times{
		collect: 10 * time.Millisecond, look: 30 * time.Millisecond, turn: 20 * time.Second, again: 20 * time.Millisecond,
		trim: 50 * time.Millisecond, save: 0, post: 2 * time.Second,
	}
	return Start(cfg)
}

var (
	Pause         = pause
	IsLate        = isLate
	Begun         = begun
	Failed        = failed
	Wait          = wait
	Encode        = encode
	ToThisMachine = toThisMachine
)

func (t Target) Key() string { return t.key() }

func (s Secret) Sign(id string, at time.Time, body []byte) string { return s.sign(id, at, body) }

const GiveUpAfter = giveUpAfter
