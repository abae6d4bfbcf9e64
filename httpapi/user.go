package httpapi

import (
	"cmp"
	"context"

	"example.org/library"
	"example.org/library/api"
)

func (s *Server) listUsers(x *exchange) error {
	in := x.query()
	q, _ := in.people("q")
	q.Group = in.group("group")
	q.Limit, q.After = in.limit("limit"), in.cursor("cursor", library.ByLastName)
	if err := in.err(); err != nil {
		return err
	}
	users, err := s.service.Users(x.r.Context(), x.actor, q)
	return listUncached(x, users, err, wireUser)
}

func (s *Server) showUser(x *exchange, id string) error {
	u, err := s.service.User(x.r.Context(), x.actor, id)
	if err != nil {
		return err
	}
	return x.show(wireUser(u), userTag(u, x.actor))
}

func (s *Server) addUser(x *exchange) error {
	in, err := x.fields()
	if err != nil {
		return err
	}
	id, fields := in.identifier(), userFields(&in)
	if err := in.err(fields.Check()); err != nil {
		return err
	}
	return change(x, func(ctx context.Context) (library.User, error) {
		return s.service.AddUser(ctx, x.actor, id, fields)
	}, func(u library.User) reply { return x.created("/users", u.ID, wireUser(u)) })
}

func (s *Server) editUser(x *exchange, id string) error {
	in, err := x.edit(id)
	if err != nil {
		return err
	}
	fields := userFields(&in)
	if err := in.err(fields.Check()); err != nil {
		return err
	}
	u, err := s.service.EditUser(x.r.Context(), x.actor, id, fields, precondition(x.r.Header))
	return x.result(wireUser(u), err)
}

func (s *Server) removeUser(x *exchange, id string) error {
	return x.noContent(s.service.RemoveUser(x.r.Context(), x.actor, id, precondition(x.r.Header)))
}

func (s *Server) unbindUser(x *exchange, id string) error {
	return x.noContent(s.service.UnbindUser(x.r.Context(), x.actor, id))
}

func userFields(in *fields) library.UserFields {
	f := library.UserFields{
		Email:     in.text("email"),
		FirstName: in.text("firstName"),
		LastName:  in.text("lastName"),
		Card:      in.text("card"),
		Locale:    in.word("locale"),
		Silent:    !in.boolean("reminders", true),
		Group:     in.text("group"),
		Inactive:  !in.boolean("active", true),

		KeepsActive: !in.has("active"),
	}
	if roles := in.texts("roles"); roles != nil {
		f.Roles = each(roles, func(name string) library.Role { return library.Role(name) })
	}
	return f
}

func wireUser(u library.User) api.User {
	out := api.User{
		Identifier: u.ID, Email: u.Email, FirstName: u.FirstName, LastName: u.LastName,
		Card: u.Card, Locale: cmp.Or(u.Locale, library.Locales[0]), Reminders: !u.Silent,
		Group: u.Group, Active: !u.Inactive, Bound: u.Subject != "",
	}
	out.MailProblem = ifAny(u.MailProblem, wireMailProblem)
	for _, r := range u.Roles {
		out.Roles = append(out.Roles, string(r))
	}
	return out
}
