package directory

import (
	"example.org/library"
	"example.org/library/scim"
)

func (h *Handler) users() *collection[library.DirectoryUser] {
	by := func(r Request) scim.Person { return scim.Person{ByUserName: h.ByUserName, Base: r.Base} }
	return &collection[library.DirectoryUser]{
		of: scim.Users, notFound: library.ErrUserNotFound,
		doc:    func(r Request, u library.DirectoryUser) scim.Doc { return by(r).Doc(u) },
		record: by(Request{}).Record,
		read: func(r Request, q library.DirectoryQuery) ([]library.DirectoryUser, error) {
			return h.Service.DirectoryUsers(r.Context, r.Actor, q)
		},
		count: func(r Request) (int, error) { return h.Service.CountDirectoryUsers(r.Context, r.Actor) },
		add: func(r Request, edit func(library.DirectoryUser) (library.DirectoryUser, error)) (library.DirectoryUser, error) {
			return h.Service.AddDirectoryUser(r.Context, r.Actor, edit)
		},
		edit: func(r Request, id string, edit func(library.DirectoryUser) (library.DirectoryUser, error)) (library.DirectoryUser, error) {
			return h.Service.EditDirectoryUser(r.Context, r.Actor, id, r.Match, edit)
		},
		remove: func(r Request, id string) error {
			return h.Service.RemoveDirectoryUser(r.Context, r.Actor, id, r.Match)
		},
	}
}

func (h *Handler) groups() *collection[library.DirectoryGroup] {
	return &collection[library.DirectoryGroup]{
		of: scim.Groups, notFound: library.ErrGroupNotFound,
		doc:    func(r Request, g library.DirectoryGroup) scim.Doc { return scim.GroupDoc(g, r.Base) },
		record: scim.Group,
		read: func(r Request, q library.DirectoryQuery) ([]library.DirectoryGroup, error) {
			return h.Service.DirectoryGroups(r.Context, r.Actor, q)
		},
		count: func(r Request) (int, error) { return h.Service.CountDirectoryGroups(r.Context, r.Actor) },
		add: func(r Request, edit func(library.DirectoryGroup) (library.DirectoryGroup, error)) (library.DirectoryGroup, error) {
			return h.Service.AddDirectoryGroup(r.Context, r.Actor, edit)
		},
		edit: func(r Request, id string, edit func(library.DirectoryGroup) (library.DirectoryGroup, error)) (library.DirectoryGroup, error) {
			return h.Service.EditDirectoryGroup(r.Context, r.Actor, id, r.Match, edit)
		},
		remove: func(r Request, id string) error {
			return h.Service.RemoveDirectoryGroup(r.Context, r.Actor, id, r.Match)
		},
	}
}
