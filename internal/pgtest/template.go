package pgtest

import (
	"fmt"
	"strconv"
	"sync"
)

// A Template is a database that is filled once in a test process. To copy it costs a
// fraction of what filling another one does.
type Template struct {
	fill func(address string) error

	once sync.Once
	name string
	err  error
}

// NewTemplate is a template that fill fills when it is needed first. All connections of
// fill must be closed when it returns: PostgreSQL copies no database that is in use.
func NewTemplate(fill func(address string) error) *Template { return &Template{fill: fill} }

// From asks for a copy of a template instead of an empty database. It is a database of the
// usual server and the usual locale.
func From(template *Template) Option {
	return func(o *options) { o.template = template }
}

// in returns the name of the template on a server, where it is made at first.
func (tp *Template) in(c *cluster) (string, error) {
	tp.once.Do(func() {
		tp.name = "template_" + strconv.FormatInt(databases.Add(1), 10)
		if tp.err = c.admin(createDatabase(tp.name, usualLocale, c.icu)); tp.err == nil {
			tp.err = tp.fill(c.url(testUser, tp.name))
		}
	})
	if tp.err != nil {
		return "", fmt.Errorf("fill the template: %w", tp.err)
	}
	return tp.name, nil
}
