package library

import (
	"cmp"
	"time"
)

// SeeCopy records that somebody at the desk has the copy in hand. A missing copy is lendable again, or
// stays in the library as before, and its queue is served.
func (c Circulation) SeeCopy(id string, now time.Time) (Decision, error) {
	r := c.ruling(now)
	seen := r.copy(id)
	if seen == nil {
		return Decision{}, ErrCopyNotFound
	}
	since := seen.MissingSince
	r.see(seen)
	r.settle()
	d := r.decide(nil, nil, seen)
	d.MissingSince = since
	return d, nil
}

// see notes the time, because the library knows the place of a copy now. A missing copy is again as it
// was.
func (r *ruling) see(c *Copy) {
	c.Seen = r.now
	if c.State == Missing {
		found := c.CopyFields
		found.State = cmp.Or(c.Before, Lendable)
		c.become(found, r.now)
		c.Version = NewVersion()
	}
}

// become gives a copy other fields. A copy that becomes missing remembers since when, and its state of
// before.
func (c *Copy) become(f CopyFields, now time.Time) {
	switch {
	case f.State != Missing:
		c.MissingSince, c.Before = time.Time{}, ""
	case c.State != Missing:
		c.MissingSince, c.Before = now, Lendable
		if c.State == Reference {
			c.Before = Reference
		}
	}
	c.CopyFields = f
}
