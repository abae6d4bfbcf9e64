package pgtest

import (
	"fmt"
	"strconv"
	"sync"
)

// A Template is a database filled once in a test process. A copy costs a fraction of
// filling another one.
type Template struct {
	fill func(address string) error

	once sync.Once
	name string
	err  error
}

// NewTemplate returns a template, filled by fill at its first use. Fill must close all its
// connections: PostgreSQL copies no database in use.
func NewTemplate(fill func(address string) error) *Template { return &Template{fill: fill} }

// From asks for a copy of a template instead of an empty database. It is a database of the
// usual server and the usual locale.
func From(template *Template) Option {
	return func(o *options) { o.template = template }
}

// in returns the name of the template on a server, and makes it at first.
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
