package scim

import (
	"unicode/utf8"

	"example.org/library"
)

// GroupDoc returns the resource of a group. Base is the address of the SCIM service.
func GroupDoc(g library.DirectoryGroup, base string) Doc {
	d := Doc{"id": g.ID, "displayName": g.DisplayName, "meta": Groups.meta(base, g.ID, g.Created, g.Changed, g.Version)}
	if g.ExternalID != "" {
		d["externalId"] = g.ExternalID
	}
	var members []map[string]any
	for _, id := range g.Members {
		members = append(members, map[string]any{"value": id, "$ref": base + Users.Path() + "/" + id, "type": Users.name})
	}
	if members != nil {
		d["members"] = members
	}
	return d
}

// Group returns the group of a resource: old with what the resource says, and nothing of what it leaves out.
func Group(d Doc, old library.DirectoryGroup) (library.DirectoryGroup, error) {
	g := old
	g.DisplayName, g.ExternalID, g.Members = d.text("displayName"), d.text("externalId"), nil
	for name, required := range map[string]bool{"displayName": true, "externalId": false} {
		value, given := d[name].(string)
		if value == "" && (given || required) || utf8.RuneCountInString(value) > maxKey || !library.CanBeEmail(value) {
			return g, refuse(InvalidValue, "%s must have 1 to %d characters, without control characters.", name, maxKey)
		}
	}
	for _, member := range elementsOf(d, find(groupAttributes, "members")) {
		value, _ := member["value"].(string)
		id, ok := library.ParseID(value)
		if !ok {
			return g, refuse(InvalidValue, "Each member needs the id of a person as its value.")
		}
		g.Members = append(g.Members, id)
	}
	return g, nil
}
