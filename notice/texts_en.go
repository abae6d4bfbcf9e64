package notice

import "fmt"

var english = words{
	locale: "en",
	greeting: func(name string) string {
		if name == "" {
			return "Hello,"
		}
		return "Hello " + name + ","
	},
	why: func(name string) string {
		return "You receive this e-mail because you have an account at " + name + "."
	},
	instead: func(address string) string {
		return "This library is being tried out. The e-mail was meant for " + address + "."
	},
	loans:     "My loans",
	reminders: "Change or switch off reminders",
	more:      counted{one: "and # more", many: "and # more"},
	days:      counted{one: "# day overdue", many: "# days overdue"},
	kinds: map[Kind]kindWords{
		Overdue: {subject: "Overdue", one: "Please bring this book back", many: "Please bring these books back",
			line: "Was due on # · %", renewable: "Was due on # · % · can be renewed", noDay: "Overdue"},
		HoldReady: {subject: "Ready for you", one: "Ready for you", many: "Ready for you",
			line: "Set aside for you until #", noDay: "Set aside for you"},
		DueSoon: {subject: "Due #", one: "Due soon", many: "Due soon",
			line: "Please bring it back by #", renewable: "Please bring it back or renew it by #", noDay: "Please bring it back soon"},
		Wanted: {subject: "Somebody is waiting for ", one: "Somebody is waiting for this book", many: "Somebody is waiting for these books",
			line: "Due on #; it cannot be renewed", noDay: "Please bring it back as soon as you can"},
		HoldExpired: {subject: "Reservation expired", one: "Your reservation has expired", many: "Your reservations have expired",
			line: "Was set aside for you until #", noDay: "Was set aside for you"},
	},
	onWeekday: "on #",
	onDate:    "on #",
	weekdays:  [7]string{"Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday"},
	months: [12]string{"January", "February", "March", "April", "May", "June", "July", "August", "September", "October", "November",
		"December"},
	date:     func(day int, month string) string { return fmt.Sprintf("%d %s", day, month) },
	test:     func(name string) string { return "Test e-mail from " + name },
	testText: func(name string) string { return "This is a test: e-mails from " + name + " reach you." },
}
