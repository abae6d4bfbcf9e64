// Package scim has the resources of SCIM 2.0 (RFC 7643, RFC 7644) for people of the library and their groups,
// without HTTP and without a store.
//
// A resource is a [Doc], with the attributes of its [Type] (attribute.go) under their exact names. A body is read
// into one (body.go), a patch changes one (patch.go), a filter is asked of one (filter.go, match.go), and
// person.go and group.go make one of a record and the other way round. Attributes that are not in the table are taken and
// forgotten.
//
// Start reading at [Person].
package scim

import (
	"strings"
)

// The identifiers of schemas and messages.
const (
	CoreUser   = "urn:ietf:params:scim:schemas:core:2.0:User"
	CoreGroup  = "urn:ietf:params:scim:schemas:core:2.0:Group"
	Enterprise = "urn:ietf:params:scim:schemas:extension:enterprise:2.0:User"

	ListResponse = "urn:ietf:params:scim:api:messages:2.0:ListResponse"
	ErrorMessage = "urn:ietf:params:scim:api:messages:2.0:Error"
)

// kind is the type of an attribute's values.
type kind string

const (
	text    kind = "string"
	boolean kind = "boolean"
	date    kind = "dateTime"
	complex kind = "complex"

	reference kind = "reference"
)

// attribute is a kept attribute.
type attribute struct {
	name      string
	kind      kind
	about     string
	multi     bool // has several values
	required  bool // cannot be removed
	exact     bool // compared with regard to case
	readOnly  bool
	fixed     bool // can be set and removed, but not changed
	hidden    bool // taken, but not shown
	unique    bool
	extension bool // of the enterprise schema
	most      int  // values; 0 for any number
	canonical []string
	refers    []string // types of resources, of a reference
	subs      []attribute
}

// Type is a type of resources.
type Type struct {
	name, about string
	schemas     []string // the first has all attributes but those of the extension
	attributes  []attribute
}

// The types.
var (
	Users  = &Type{"User", "A person of the library.", []string{CoreUser, Enterprise}, userAttributes}
	Groups = &Type{"Group", "A group of people.", []string{CoreGroup}, groupAttributes}
)

// The attributes of all types.
var (
	idAttribute         = attribute{name: "id", kind: text, exact: true, readOnly: true, unique: true}
	externalIDAttribute = attribute{name: "externalId", kind: text, exact: true}
	metaAttribute       = attribute{name: "meta", kind: complex, readOnly: true, subs: []attribute{
		{name: "resourceType", kind: text}, {name: "created", kind: date}, {name: "lastModified", kind: date},
		{name: "location", kind: text, exact: true}, {name: "version", kind: text, exact: true},
	}}
)

var groupAttributes = []attribute{
	idAttribute, externalIDAttribute, metaAttribute,
	{name: "displayName", kind: text, about: "Name of the group.", required: true},
	{name: "members", kind: complex, about: "People in the group.", multi: true, subs: []attribute{
		{name: "value", kind: text, about: "The id of a person.", fixed: true},
		{name: "$ref", kind: reference, about: "The address of the person.", exact: true, fixed: true, refers: []string{"User"}},
		{name: "type", kind: text, about: "Always User.", fixed: true, canonical: []string{"User"}},
	}},
}

var userAttributes = []attribute{
	idAttribute, externalIDAttribute, metaAttribute,
	{name: "userName", kind: text, about: "Name of the person at the directory.", required: true, unique: true},
	{name: "name", kind: complex, about: "Name of the person.", required: true, subs: []attribute{
		{name: "givenName", kind: text, about: "First name.", required: true},
		{name: "familyName", kind: text, about: "Last name.", required: true},
		{name: "formatted", kind: text, hidden: true},
	}},
	{name: "displayName", kind: text, about: "Name to show."},
	{name: "emails", kind: complex, about: "E-mail addresses; one is the person's address in the library.", multi: true, required: true, most: maxEmails, subs: []attribute{
		{name: "value", kind: text, about: "The address.", required: true},
		{name: "type", kind: text, about: "Such as work."},
		{name: "primary", kind: boolean, about: "Whether the library uses this address."},
	}},
	{name: "active", kind: boolean, about: "Whether the library lets the person in.", required: true},
	{name: "userType", kind: text, about: "Kind of reader, such as pupil or teacher."},
	{name: "preferredLanguage", kind: text, about: "Language of mails.", canonical: []string{"en", "de"}},
	{name: "department", kind: text, about: "Department or class: the group in the library.", extension: true},
}

// find returns the attribute with a name in any case, nil for none.
func find(in []attribute, name string) *attribute {
	for i := range in {
		if strings.EqualFold(in[i].name, name) {
			return &in[i]
		}
	}
	return nil
}

// sub returns the sub-attribute with a name in any case, nil for none.
func (a *attribute) sub(name string) *attribute {
	if a == nil {
		return nil
	}
	return find(a.subs, name)
}

// localName cuts the identifier of a schema from a name. It returns "" for the identifier alone, and ok is
// false for a schema that is not kept.
func (t *Type) localName(name string) (local string, ok bool) {
	for _, schema := range t.schemas {
		if len(name) >= len(schema) && strings.EqualFold(name[:len(schema)], schema) {
			rest := name[len(schema):]
			return strings.TrimPrefix(rest, ":"), rest == "" || rest[0] == ':'
		}
	}
	return name, len(name) < 4 || !strings.EqualFold(name[:4], "urn:")
}
