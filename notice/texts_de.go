package notice

import "fmt"

var german = words{
	locale: "de",
	formal: true,
	greeting: func(name string) string {
		if name == "" {
			return "Guten Tag,"
		}
		return "Guten Tag " + name + ","
	},
	why: func(name string) string { return "Sie bekommen diese Mail, weil Sie hier ausleihen: " + name + "." },
	instead: func(address string) string {
		return "Diese Bibliothek wird erprobt. Die Mail war für " + address + " bestimmt."
	},
	loans:     "Meine Ausleihen",
	reminders: "Erinnerungen ändern oder abschalten",
	more:      counted{one: "und # weiteres", many: "und # weitere"},
	days:      counted{one: "seit # Tag überfällig", many: "seit # Tagen überfällig"},
	kinds: map[Kind]kindWords{
		Overdue: {subject: "Überfällig", one: "Bitte geben Sie dieses Buch zurück", many: "Bitte geben Sie diese Bücher zurück",
			line: "War fällig am # · %", noDay: "Überfällig"},
		HoldReady: {subject: "Abholbereit", one: "Liegt für Sie bereit", many: "Liegen für Sie bereit",
			line: "Zurückgelegt bis #", noDay: "Für Sie zurückgelegt"},
		DueSoon: {subject: "Fällig #", one: "Bald fällig", many: "Bald fällig",
			line: "Bitte zurückgeben bis #", noDay: "Bitte bald zurückgeben"},
		HoldExpired: {subject: "Vormerkung abgelaufen", one: "Ihre Vormerkung ist abgelaufen", many: "Ihre Vormerkungen sind abgelaufen",
			line: "War zurückgelegt bis #", noDay: "War für Sie zurückgelegt"},
	},
	onWeekday: "am #",
	onDate:    "am #",
	weekdays:  [7]string{"Sonntag", "Montag", "Dienstag", "Mittwoch", "Donnerstag", "Freitag", "Samstag"},
	months: [12]string{"Januar", "Februar", "März", "April", "Mai", "Juni", "Juli", "August", "September", "Oktober", "November",
		"Dezember"},
	date: func(weekday, month string, day, year int) string {
		text := fmt.Sprintf("%d. %s", day, month)
		if weekday != "" {
			text = weekday + ", " + text
		}
		if year != 0 {
			text += fmt.Sprintf(" %d", year)
		}
		return text
	},
	test:     func(name string) string { return "Testmail von " + name },
	testText: func(name string) string { return "Dies ist ein Test: Mails von " + name + " kommen bei Ihnen an." },
}
