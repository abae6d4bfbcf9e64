package policy

import (
	"strings"
	"testing"

	"example.org/library/api"
)

func TestMailsAreNotSpokenOfWhereNoneAreSent(t *testing.T) {
	t.Parallel()
	p := api.Policy{DueSoonDays: 2, OverdueDays: []int{1, 7}, NoticeTime: "08:00", MailNote: map[string]string{"en": "Open on Sundays."}}
	for mails, want := range map[bool]int{true: 5, false: 0} {
		said := 0
		for _, f := range policyWords(p, mails) {
			name := strings.ToLower(f[0])
			if strings.Contains(name, "reminder") || strings.Contains(name, "mail") || strings.Contains(name, "german") {
				said++
			}
		}
		if said != want {
			t.Errorf("with mails %v: %d rules about them, want %d", mails, said, want)
		}
	}
}
