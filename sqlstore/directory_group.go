package sqlstore

import (
	"context"
	"slices"
	"strconv"
	"time"

	"example.org/library"
	"example.org/library/sqlstore/engine"
)

const groupColumns = `g.id, g.display_name, coalesce(g.external_id, ''), g.created_at, g.changed_at, g.version`

// DirectoryGroups returns groups of directories.
func (s *Store) DirectoryGroups(ctx context.Context, q library.DirectoryQuery) ([]library.DirectoryGroup, error) {
	return directoryGroups(ctx, s.db, s.dialect, q)
}

// DirectoryGroups returns groups of directories.
func (t *tx) DirectoryGroups(ctx context.Context, q library.DirectoryQuery) ([]library.DirectoryGroup, error) {
	return directoryGroups(ctx, t.sql, t.dialect, q)
}

func directoryGroups(ctx context.Context, from engine.Reader, d *engine.Dialect, q library.DirectoryQuery) ([]library.DirectoryGroup, error) {
	var a engine.Arguments
	text := `SELECT ` + groupColumns + ` FROM directory_groups g WHERE TRUE`
	if q.ID != "" {
		text += ` AND g.id = ` + a.Add(q.ID)
	}
	if q.ExternalID != "" {
		text += ` AND g.external_id = ` + a.Add(q.ExternalID)
	}
	groups, err := engine.Collect(ctx, from, "read groups", scanGroup, text+` ORDER BY g.created_at, g.id`+page(q), a...)
	if err != nil || !q.Members || len(groups) == 0 {
		return groups, err
	}
	ids, place := make([]string, len(groups)), map[string]int{}
	for i, g := range groups {
		ids[i], place[g.ID] = g.ID, i
	}
	_, err = engine.Collect(ctx, from, "read members", func(r engine.Row) (none struct{}, err error) {
		var group, user string
		err = r.Scan(&group, &user)
		groups[place[group]].Members = append(groups[place[group]].Members, user)
		return none, err
	}, `SELECT group_id, user_id FROM directory_members WHERE group_id `+d.Among("$1")+` ORDER BY group_id, user_id`, d.List(ids))
	return groups, err
}

func page(q library.DirectoryQuery) string {
	if q.Limit == 0 {
		return ""
	}
	return ` LIMIT ` + strconv.Itoa(q.Limit) + ` OFFSET ` + strconv.Itoa(q.Offset)
}

func scanGroup(r engine.Row) (g library.DirectoryGroup, err error) {
	var created, changed int64
	err = r.Scan(&g.ID, &g.DisplayName, &g.ExternalID, &created, &changed, &g.Version)
	g.Created, g.Changed = engine.FromMicro(created), engine.FromMicro(changed)
	return g, err
}

// CountDirectoryGroups counts the groups of directories.
func (s *Store) CountDirectoryGroups(ctx context.Context) (int, error) {
	return engine.ReadOne(ctx, s.db, "count groups", engine.ScanNumber, `SELECT count(*) FROM directory_groups`)
}

// SaveDirectoryGroup adds or replaces a group.
func (t *tx) SaveDirectoryGroup(ctx context.Context, g library.DirectoryGroup) error {
	return t.exec(ctx, "write a group", `
		INSERT INTO directory_groups (id, display_name, external_id, created_at, changed_at, version) VALUES ($1, $2, $3, $4, $5, $6)
		ON CONFLICT (id) DO UPDATE SET display_name = excluded.display_name, external_id = excluded.external_id,
			changed_at = excluded.changed_at, version = excluded.version`,
		g.ID, g.DisplayName, engine.TextOrNull(g.ExternalID), g.Created.UnixMicro(), g.Changed.UnixMicro(), g.Version)
}

// DeleteDirectoryGroup deletes a group.
func (t *tx) DeleteDirectoryGroup(ctx context.Context, id string) error {
	return t.exec(ctx, "delete a group", `DELETE FROM directory_groups WHERE id = $1`, id)
}

// AddMembers adds users to a group.
func (t *tx) AddMembers(ctx context.Context, groupID string, users []string) error {
	return t.exec(ctx, "add members", `INSERT INTO directory_members (group_id, user_id) SELECT $1, id FROM users WHERE id `+t.dialect.Among("$2"),
		groupID, t.dialect.List(users))
}

// RemoveMembers takes users out of a group.
func (t *tx) RemoveMembers(ctx context.Context, groupID string, users []string) error {
	return t.exec(ctx, "remove members", `DELETE FROM directory_members WHERE group_id = $1 AND user_id `+t.dialect.Among("$2"),
		groupID, t.dialect.List(users))
}

// LeaveGroups takes a user out of all groups.
func (t *tx) LeaveGroups(ctx context.Context, userID, version string, now time.Time) error {
	err := t.exec(ctx, "leave groups", `UPDATE directory_groups SET version = $2, changed_at = $3
		WHERE id IN (SELECT group_id FROM directory_members WHERE user_id = $1)`, userID, version, now.UnixMicro())
	if err != nil {
		return err
	}
	return t.exec(ctx, "leave groups", `DELETE FROM directory_members WHERE user_id = $1`, userID)
}

func (t *tx) exec(ctx context.Context, doing, text string, args ...any) error {
	_, err := t.sql.ExecContext(ctx, text, args...)
	return t.dialect.Error(ctx, doing, err)
}

// DirectoryMembers returns users with their groups.
func (t *tx) DirectoryMembers(ctx context.Context, users []string) ([]library.DirectoryMember, error) {
	var a engine.Arguments
	where := `users.managed OR m.group_id IS NOT NULL`
	if users != nil {
		where = `users.id ` + t.dialect.Among(a.Add(t.dialect.List(users)))
	}
	var members []library.DirectoryMember
	_, err := engine.Collect(ctx, t.sql, "read members", func(r engine.Row) (none struct{}, err error) {
		var m library.DirectoryMember
		var g library.DirectoryGroup
		m.User, err = scanUser(r, &m.Removed, &g.DisplayName, &g.ExternalID)
		if last := len(members) - 1; last < 0 || members[last].ID != m.ID {
			members = append(members, m)
		}
		last := &members[len(members)-1]
		last.Groups = append(last.Groups, g)
		return none, err
	}, `SELECT `+userColumns+`, coalesce(d.removed, false) AND NOT users.active, coalesce(g.display_name, ''), coalesce(g.external_id, '')`+directoryTables+`
		LEFT JOIN directory_members m ON m.user_id = users.id LEFT JOIN directory_groups g ON g.id = m.group_id
		WHERE `+where+` ORDER BY users.id`, a...)
	return members, err
}

// SetGroupRoles writes the roles of a user that groups give. Whoever loses one begins open streams anew.
func (t *tx) SetGroupRoles(ctx context.Context, u library.User) error {
	before, err := readUser(ctx, t.sql, oneUser+t.dialect.ForUpdate, u.ID)
	if err != nil {
		return err
	}
	t.changes.everything = true
	if slices.ContainsFunc(before.Roles, func(r library.Role) bool { return !slices.Contains(u.Roles, r) }) {
		t.changes.userLeft(u.ID)
	}
	return t.exec(ctx, "write roles", `UPDATE users SET roles = $2, managed = TRUE WHERE id = $1`, u.ID, engine.FormatList(u.Roles))
}
