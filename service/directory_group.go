package service

import (
	"context"
	"slices"

	"example.org/library"
)

// DirectoryGroups returns groups of a directory.
func (s *Service) DirectoryGroups(ctx context.Context, a library.Actor, q library.DirectoryQuery) ([]library.DirectoryGroup, error) {
	if err := a.Authorize(library.Administer); err != nil {
		return nil, err
	}
	return s.store.DirectoryGroups(ctx, q)
}

// CountDirectoryGroups counts the groups of a directory.
func (s *Service) CountDirectoryGroups(ctx context.Context, a library.Actor) (int, error) {
	if err := a.Authorize(library.Administer); err != nil {
		return 0, err
	}
	return s.store.CountDirectoryGroups(ctx)
}

// GroupEdit returns what becomes of a group. A new one is the zero group.
type GroupEdit func(old library.DirectoryGroup) (library.DirectoryGroup, error)

// AddDirectoryGroup adds a group.
func (s *Service) AddDirectoryGroup(ctx context.Context, a library.Actor, edit GroupEdit) (library.DirectoryGroup, error) {
	return directoryChange(ctx, s, a, func(tx library.Tx, _ library.Actor) (library.DirectoryGroup, error) {
		old := library.DirectoryGroup{ID: library.NewID(), Created: s.now()}
		return s.saveGroup(ctx, tx, old, edit)
	})
}

// EditDirectoryGroup edits a group and its members.
func (s *Service) EditDirectoryGroup(ctx context.Context, a library.Actor, id string, pre library.Precondition, edit GroupEdit) (library.DirectoryGroup, error) {
	return directoryChange(ctx, s, a, func(tx library.Tx, _ library.Actor) (library.DirectoryGroup, error) {
		old, err := directoryGroup(ctx, tx, id, pre)
		if err != nil {
			return old, err
		}
		return s.saveGroup(ctx, tx, old, edit)
	})
}

// RemoveDirectoryGroup removes a group, as if all of its members left it.
func (s *Service) RemoveDirectoryGroup(ctx context.Context, a library.Actor, id string, pre library.Precondition) error {
	_, err := directoryChange(ctx, s, a, func(tx library.Tx, _ library.Actor) (old library.DirectoryGroup, err error) {
		if old, err = directoryGroup(ctx, tx, id, pre); err != nil {
			return old, err
		}
		if err := tx.DeleteDirectoryGroup(ctx, id); err != nil {
			return old, err
		}
		return old, s.assignRoles(ctx, tx, old.Members)
	})
	return err
}

func directoryGroup(ctx context.Context, tx library.Tx, id string, pre library.Precondition) (library.DirectoryGroup, error) {
	found, err := tx.DirectoryGroups(ctx, library.DirectoryQuery{ID: id, Members: true})
	switch {
	case err != nil:
		return library.DirectoryGroup{}, err
	case len(found) == 0:
		return library.DirectoryGroup{}, library.ErrGroupNotFound
	case !pre.Accepts(found[0].Version):
		return library.DirectoryGroup{}, library.ErrOutdated
	}
	return found[0], nil
}

// saveGroup edits a group, and gives its members their roles. A group that stays the same keeps its version.
func (s *Service) saveGroup(ctx context.Context, tx library.Tx, old library.DirectoryGroup, edit GroupEdit) (library.DirectoryGroup, error) {
	g, err := edit(old)
	if err != nil {
		return g, err
	}
	slices.Sort(g.Members)
	g.Members = slices.Compact(g.Members)
	joined, left := without(g.Members, old.Members), without(old.Members, g.Members)
	isRenamed := g.DisplayName != old.DisplayName || g.ExternalID != old.ExternalID
	if !isRenamed && len(joined)+len(left) == 0 {
		return old, nil
	}
	if err := checkGroup(ctx, tx, g, joined); err != nil {
		return g, err
	}
	if g.Changed = s.now(); old.Version == "" {
		g.Changed = g.Created
	}
	g.Version = library.NewVersion()
	if err := tx.SaveDirectoryGroup(ctx, g); err != nil {
		return g, err
	}
	if err := tx.AddMembers(ctx, g.ID, joined); err != nil {
		return g, err
	}
	if err := tx.RemoveMembers(ctx, g.ID, left); err != nil {
		return g, err
	}
	if isRenamed {
		joined = g.Members
	}
	return g, s.assignRoles(ctx, tx, slices.Concat(joined, left))
}

// without returns the elements of a sorted list that are not in another one.
func without(list, other []string) (rest []string) {
	for _, id := range list {
		if _, found := slices.BinarySearch(other, id); !found {
			rest = append(rest, id)
		}
	}
	return rest
}

// checkGroup reports whether another group has the external identifier, or a new member is unknown.
func checkGroup(ctx context.Context, tx library.Tx, g library.DirectoryGroup, joined []string) error {
	if g.ExternalID != "" {
		found, err := tx.DirectoryGroups(ctx, library.DirectoryQuery{ExternalID: g.ExternalID})
		if err != nil {
			return err
		}
		if len(found) > 0 && found[0].ID != g.ID {
			return library.ErrExternalIDTaken
		}
	}
	if len(joined) == 0 {
		return nil
	}
	known, err := tx.DirectoryMembers(ctx, joined)
	if err == nil && (len(known) < len(joined) || slices.ContainsFunc(known, func(m library.DirectoryMember) bool { return m.Removed })) {
		err = library.ErrNoMember
	}
	return err
}

// leaveGroups takes a user out of all groups.
func (s *Service) leaveGroups(ctx context.Context, tx library.Tx, id string) error {
	if err := tx.LeaveGroups(ctx, id, library.NewVersion(), s.now()); err != nil {
		return err
	}
	return s.assignRoles(ctx, tx, []string{id})
}

// AssignGroupRoles gives all members of groups the roles of the present map. It fails with ErrLastAdmin if
// nobody would be an admin any more.
func (s *Service) AssignGroupRoles(ctx context.Context) error {
	if s.roles == nil {
		return nil
	}
	return s.store.Tx(ctx, func(tx library.Tx) error {
		if err := tx.Lock(ctx, library.UserLock); err != nil {
			return err
		}
		return s.assign(ctx, tx, nil)
	})
}

// assignRoles gives some users the roles of their groups, where groups give any.
func (s *Service) assignRoles(ctx context.Context, tx library.Tx, users []string) error {
	if s.roles == nil || len(users) == 0 {
		return nil
	}
	return s.assign(ctx, tx, users)
}

func (s *Service) assign(ctx context.Context, tx library.Tx, users []string) error {
	members, err := tx.DirectoryMembers(ctx, users)
	if err != nil {
		return err
	}
	isLessAdmins := false
	for _, m := range members {
		u, changed := s.roles.Assign(m)
		if !changed {
			continue
		}
		isLessAdmins = isLessAdmins || m.IsAdmin() && !u.IsAdmin()
		if err := tx.SetGroupRoles(ctx, u); err != nil {
			return err
		}
	}
	if !isLessAdmins {
		return nil
	}
	others, err := tx.HasAdmin(ctx, "")
	if err == nil && !others {
		err = library.ErrLastAdmin
	}
	return err
}

// judgeManaged forgets that roles come from groups, where groups give none.
func (s *Service) judgeManaged(u *library.User) { u.Managed = u.Managed && s.roles != nil }

func (s *Service) judgeAllManaged(users []library.User) {
	for i := range users {
		s.judgeManaged(&users[i])
	}
}
