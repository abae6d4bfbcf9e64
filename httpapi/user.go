package httpapi

import (
	"cmp"
	"context"

	"example.org/library"
	"example.org/library/api"
	"example.org/library/httpapi/internal/input"
)

func (s *Server) listUsers(x *exchange) error {
	in := x.query()
	q := userFilters(in)
	q.Limit, q.After = x.page(in, "users", library.ByLastName)
	if err := in.Err(); err != nil {
		return err
	}
	users, err := s.service.Users(x.r.Context(), x.actor, q)
	return listUncached(x, users, err, wireUser)
}

// userFilters takes the parameters that select users.
func userFilters(in *input.Query) library.UserQuery {
	q, _ := in.People("q")
	q.Group, q.Category, q.Active = in.Name("group", library.MaxGroup), in.Name("category", library.MaxCategory), in.Boolean("active")
	return q
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
	id, fields := in.Identifier(), accountFields(&in)
	if err := in.Err(fields.Check()); err != nil {
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
	fields := accountFields(&in)
	if err := in.Err(fields.Check()); err != nil {
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

// accountFields are the userFields, and a member that no import has.
func accountFields(in *input.Fields) library.UserFields {
	f := userFields(in)
	f.Station, f.KeepsStation = in.Flag("station")
	return f
}

// userFields are the fields of a person. The record stays a station, or none.
func userFields(in *input.Fields) library.UserFields {
	f := library.UserFields{
		Email:     in.Text("email"),
		FirstName: in.Text("firstName"),
		LastName:  in.Text("lastName"),
		Card:      in.Text("card"),
		Locale:    in.Word("locale"),
		Silent:    !in.Boolean("reminders", true),
		Group:     in.Text("group"),
		Category:  in.Text("category"),
		Inactive:  !in.Boolean("active", true),

		Note:  in.Text("note"),
		Block: in.Text("block"),

		KeepsActive: !in.Has("active"), KeepsStation: true, KeepsNote: !in.Has("note"), KeepsBlock: !in.Has("block"),
	}
	if roles := in.Texts("roles"); roles != nil {
		f.Roles = each(roles, func(name string) library.Role { return library.Role(name) })
	}
	return f
}

func wireUser(u library.User) api.User {
	out := api.User{
		Identifier: u.ID, Email: u.Email, FirstName: u.FirstName, LastName: u.LastName,
		Card: u.Card, Locale: cmp.Or(u.Locale, library.Locales[0]), Reminders: !u.Silent,
		Group: u.Group, Category: u.Category, Active: !u.Inactive, Station: u.Station, Bound: u.Subject != "",
		Note: u.Note, Block: u.Block,
	}
	out.MailProblem = ifAny(u.MailProblem, wireMailProblem)
	for _, r := range u.Roles {
		out.Roles = append(out.Roles, string(r))
	}
	return out
}
