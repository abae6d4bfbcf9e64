package library

import (
	"maps"
	"slices"
	"time"

	"example.org/library/internal/validation"
)

// noticeTimeLayout is the form of NoticeTime. Such texts compare like their times.
const noticeTimeLayout = "15:04"

// noticeTime returns the time of day for reminders. An invalid text, saved by a later program, counts
// as the default.
func (p Policy) noticeTime() string {
	if _, err := time.Parse(noticeTimeLayout, p.NoticeTime); err != nil || len(p.NoticeTime) != len(noticeTimeLayout) {
		return DefaultPolicy().NoticeTime
	}
	return p.NoticeTime
}

func (p *problems) noticeTime(text string) string {
	if text != "" && (Policy{NoticeTime: text}).noticeTime() != text {
		p.Add(Detail{Field: "noticeTime", Code: validation.CodeNotTime, Message: "must be a time of the day such as 08:00"})
	}
	return text
}

// mailNote checks the texts. It leaves out languages without a text and returns nil if no text is
// left, so equal policies compare equal.
func (p *problems) mailNote(notes map[string]string) (checked map[string]string) {
	for _, locale := range slices.Sorted(maps.Keys(notes)) {
		field := "mailNote." + locale
		if !slices.Contains(Locales, locale) {
			p.Add(validation.UnknownValue("mailNote", Locales))
			continue
		}
		text := p.Text(field, notes[locale], MaxMailNote)
		if text == "" {
			continue
		}
		if checked == nil {
			checked = make(map[string]string)
		}
		checked[locale] = text
	}
	return checked
}
