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
	why: func(name string) string { return "Grund für diese E-Mail ist ein Konto bei „" + name + "“." },
	instead: func(address string) string {
		return "Diese Bibliothek wird erprobt. Die E-Mail war für " + address + " bestimmt."
	},
	loans:     "Meine Ausleihen",
	reminders: "Erinnerungen ändern oder abschalten",
	more:      counted{one: "und # weiteres", many: "und # weitere"},
	days:      counted{one: "seit # Tag überfällig", many: "seit # Tagen überfällig"},
	kinds: map[Kind]kindWords{
		Overdue: {subject: "Überfällig", one: "Bitte dieses Buch zurückgeben", many: "Bitte diese Bücher zurückgeben",
			line: "War fällig am # · %", renewable: "War fällig am # · % · kann verlängert werden", noDay: "Überfällig"},
		HoldReady: {subject: "Abholbereit", one: "Liegt zum Abholen bereit", many: "Liegen zum Abholen bereit",
			line: "Zurückgelegt bis #", noDay: "Zurückgelegt"},
		DueSoon: {subject: "Fällig #", one: "Bald fällig", many: "Bald fällig",
			line: "Bitte zurückgeben bis #", renewable: "Bitte zurückgeben oder verlängern bis #", noDay: "Bitte bald zurückgeben"},
		Wanted: {subject: "Jemand wartet auf ", one: "Jemand wartet auf dieses Buch", many: "Jemand wartet auf diese Bücher",
			line: "Fällig am #; verlängern geht nicht", noDay: "Bitte möglichst bald zurückgeben"},
		HoldExpired: {subject: "Vormerkung abgelaufen", one: "Vormerkung abgelaufen", many: "Vormerkungen abgelaufen",
			line: "War zurückgelegt bis #", noDay: "War zurückgelegt"},
	},
	onWeekday: "am #",
	onDate:    "am #",
	weekdays:  [7]string{"Sonntag", "Montag", "Dienstag", "Mittwoch", "Donnerstag", "Freitag", "Samstag"},
	months: [12]string{"Januar", "Februar", "März", "April", "Mai", "Juni", "Juli", "August", "September", "Oktober", "November",
		"Dezember"},
	date:     func(day int, month string) string { return fmt.Sprintf("%d. %s", day, month) },
	test:     func(name string) string { return "Test-E-Mail von " + name },
	testText: func(name string) string { return "Dies ist ein Test: E-Mails von " + name + " kommen an." },
}
