package scim

import (
	"encoding/json"
	"maps"
	"strings"
	"time"
	"unicode/utf8"

	"example.org/library"
)

// Limits of values, in characters.
const (
	maxKey    = 255 // of userName and externalId
	maxText   = 255
	maxEmails = 20
)

// Person converts between records and resources.
type Person struct {
	ByUserName bool   // the address in the library is the userName, and not among the emails
	Base       string // address of the SCIM service
}

// kept is what a store keeps as it was sent.
type kept struct {
	DisplayName string           `json:"displayName,omitempty"`
	Language    string           `json:"preferredLanguage,omitempty"`
	Emails      []map[string]any `json:"emails,omitempty"`
}

// Doc returns the resource of a record. Names, address, group, category and active are those of the record now.
func (p Person) Doc(u library.DirectoryUser) Doc {
	var k kept
	_ = json.Unmarshal(u.Kept, &k) // "" is nothing kept
	d := Doc{
		"id": u.ID, "userName": u.UserName, "active": !u.Inactive,
		"name": map[string]any{"givenName": u.FirstName, "familyName": u.LastName},
		"meta": Users.meta(p.Base, u.ID, u.Created, u.Changed, u.Version),
	}
	for name, value := range map[string]string{
		"externalId": u.ExternalID, "displayName": k.DisplayName, "userType": u.Category, "preferredLanguage": k.Language, "department": u.Group,
	} {
		if value != "" {
			d[name] = value
		}
	}
	if p.ByUserName {
		d["userName"] = u.Email
	}
	at := selected(k.Emails)
	if at < 0 {
		d["emails"], d[unsent] = emailsOf(u), true
		return d
	}
	if !p.ByUserName && !equalFold(k.Emails[at]["value"], u.Email) {
		k.Emails[at]["value"] = u.Email
	}
	d["emails"] = k.Emails
	return d
}

// unsent marks a resource with e-mails that no directory has sent.
const unsent = "unsent emails"

// emailsOf returns the e-mails of a record without any from a directory.
func emailsOf(u library.DirectoryUser) []map[string]any {
	return []map[string]any{{"value": u.Email, "type": "work", "primary": true}}
}

// meta returns the attribute meta. Its version is the entity tag.
func (t *Type) meta(base, id string, created, changed time.Time, version string) map[string]any {
	return map[string]any{
		"resourceType": t.name, "created": stamp(created), "lastModified": stamp(changed),
		"location": base + t.Path() + "/" + id, "version": `"` + version + `"`,
	}
}

// Location returns the address of a resource.
func (d Doc) Location() string { return d.text("meta", "location") }

// Tag returns the entity tag of a resource.
func (d Doc) Tag() string { return d.text("meta", "version") }

func stamp(t time.Time) string { return t.UTC().Format("2006-01-02T15:04:05.000000Z07:00") }

// Record returns the record of a resource: old with what the resource says. A new person has a zero old
// record. What the resource leaves out is cleared, except names, active and language.
func (p Person) Record(d Doc, old library.DirectoryUser) (library.DirectoryUser, error) {
	u := old
	emails := elementsOf(d, find(userAttributes, "emails"))
	u.UserName, u.ExternalID = d.text("userName"), d.text("externalId")
	if err := checkKeys(d, emails); err != nil {
		return u, err
	}
	u.Email = u.UserName
	switch at := selected(emails); {
	case d[unsent] == true && len(emails) == 1 && maps.Equal(emails[0], emailsOf(old)[0]):
		emails = nil
		if !p.ByUserName && (equalFold(u.UserName, old.UserName) || library.CheckEmail(u.UserName) != nil) {
			u.Email = old.Email // a new userName would be the address
		}
	case at >= 0 && !p.ByUserName:
		u.Email, _ = emails[at]["value"].(string)
	}
	if library.CheckEmail(u.Email) != nil {
		return u, refuse(InvalidValue, "%q is not an e-mail address, and the library needs one.", u.Email)
	}
	u.FirstName, u.LastName = names(d, old, u.Email)
	u.Group = cut(strings.TrimSpace(d.text("department")), library.MaxGroup)
	u.Category = cut(strings.TrimSpace(d.text("userType")), library.MaxCategory)
	if active, given := d["active"].(bool); given {
		u.Inactive = !active
	}
	language := d.text("preferredLanguage")
	if locale := library.LocaleOf(language); locale != "" {
		u.Locale = locale
	}
	k := kept{DisplayName: d.text("displayName"), Language: language, Emails: emails}
	var err error
	if u.Kept, err = json.Marshal(k); err != nil {
		return u, err
	}
	fields := u.UserFields
	if err := fields.Normalize(); err != nil {
		return u, refuse(InvalidValue, "The record cannot take these values: %v", describe(u.UserFields))
	}
	u.UserFields = fields
	if p.ByUserName {
		u.UserName = "" // it is the address, and stays so
	}
	return u, nil
}

// describe names the faults of the fields.
func describe(f library.UserFields) string {
	var faults []string
	for _, fault := range f.Check() {
		faults = append(faults, fault.Field+": "+fault.Message)
	}
	return strings.Join(faults, "; ")
}

// checkKeys checks the attributes that are kept as they were sent.
func checkKeys(d Doc, emails []map[string]any) error {
	if d.text("userName") == "" {
		return refuse(InvalidValue, "userName is missing.")
	}
	for name, most := range map[string]int{"userName": maxKey, "externalId": maxKey, "displayName": maxText, "preferredLanguage": maxText} {
		value, given := d[name].(string)
		empty := given && value == "" && most == maxKey && name == "externalId"
		if empty || utf8.RuneCountInString(value) > most || !library.CanBeEmail(value) {
			return refuse(InvalidValue, "%s must have 1 to %d characters, without control characters.", name, most)
		}
	}
	for _, e := range emails {
		value, _ := e["value"].(string)
		kind, _ := e["type"].(string)
		if value == "" || utf8.RuneCountInString(value) > library.MaxEmail || utf8.RuneCountInString(kind) > maxText {
			return refuse(InvalidValue, "Each of the emails needs a value of up to %d characters.", library.MaxEmail)
		}
	}
	return nil
}

// names returns the names of a record. Missing ones are those of the old record, or the address.
func names(d Doc, old library.DirectoryUser, address string) (first, last string) {
	first, last = strings.TrimSpace(d.text("name", "givenName")), strings.TrimSpace(d.text("name", "familyName"))
	fallback := cut(address, library.MaxName)
	return or(first, or(old.FirstName, fallback)), or(last, or(old.LastName, fallback))
}

// completeName takes missing names from the whole name: the last word is the last name, a single word both.
func (d Doc) completeName() {
	whole := strings.Join(strings.Fields(or(d.text("displayName"), d.text("name", "formatted"))), " ")
	if whole == "" {
		return
	}
	begin, end := whole, whole
	if i := strings.LastIndexByte(whole, ' '); i >= 0 {
		begin, end = whole[:i], whole[i+1:]
	}
	d["name"] = map[string]any{"givenName": or(d.text("name", "givenName"), begin), "familyName": or(d.text("name", "familyName"), end)}
}

func or(a, b string) string {
	if strings.TrimSpace(a) != "" {
		return a
	}
	return b
}

// cut shortens a text to a number of characters.
func cut(s string, most int) string {
	if utf8.RuneCountInString(s) > most {
		s = strings.TrimSpace(string([]rune(s)[:most]))
	}
	return s
}
