package input

import (
	"encoding/json"
	"fmt"
	"strconv"
	"strings"

	"example.org/library"
	"example.org/library/internal/validation"
)

// Objects reads an array of objects with read, which gets the members of one.
func (f *Fields) Objects(name string, read func(*Fields)) { f.ObjectsOr(name, "", read) }

// ObjectsOr is Objects, with a text for an object with only this member.
func (f *Fields) ObjectsOr(name, member string, read func(*Fields)) {
	var members []json.RawMessage
	f.decode(name, &members, library.Detail{Field: name, Code: validation.CodeMalformed, Message: "must be an array of objects"})
	for i, raw := range members {
		entry := name + "[" + strconv.Itoa(i) + "]"
		one := Fields{prefix: f.prefix + entry + "."}
		if member != "" && raw[0] == '"' {
			one.members = map[string]json.RawMessage{member: raw}
		} else if json.Unmarshal(raw, &one.members) != nil || one.members == nil {
			f.Refuse(library.Detail{Field: entry, Code: validation.CodeMalformed, Message: "must be an object"})
			read(&Fields{})
			continue
		}
		read(&one)
		f.wrong = append(f.wrong, one.wrong...)
	}
}

// References are the identifiers of records, nil when the member is absent.
func (f *Fields) References(name string) []string {
	texts := f.Texts(name)
	for i, text := range texts {
		id, ok := library.ParseID(text)
		if !ok {
			f.Refuse(NotUUID(fmt.Sprintf("%s[%d]", name, i)))
		}
		texts[i] = id
	}
	return texts
}

// Codes are barcodes, nil when the member is absent.
func (f *Fields) Codes(name string) []string {
	texts := f.Texts(name)
	for i, text := range texts {
		if texts[i] = strings.TrimSpace(text); !library.IsCode(texts[i]) {
			f.Refuse(validation.NotACode(fmt.Sprintf("%s[%d]", name, i)))
		}
	}
	return texts
}

// Distinct refuses a list that is given with no entry, too many, or one twice.
func (f *Fields) Distinct(name string, list []string, most int) {
	if list != nil && len(list) == 0 {
		f.Refuse(validation.Required(name))
	}
	if len(list) > most {
		f.Refuse(validation.TooMany(name, most))
	}
	seen := make(map[string]bool, len(list))
	for i, text := range list {
		if text != "" && seen[text] {
			f.Refuse(library.Detail{Field: fmt.Sprintf("%s[%d]", name, i), Code: validation.CodeDuplicate, Message: "is there twice"})
		}
		seen[text] = true
	}
}
