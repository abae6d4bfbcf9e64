package e2e

import "testing"

// scan types what a scanner reads and waits for the answer.
func (p *place) scan(code, answer string) {
	p.t.Helper()
	p.clear()
	p.enter(code)
	p.await(answer)
	p.await(": ") // it asks for the next
}

// key presses a key with Ctrl.
func (p *place) key(key string) {
	p.t.Helper()
	if _, err := p.keys.WriteString(key); err != nil {
		p.t.Fatal(err)
	}
}

const ctrlC, ctrlD = "\x03", "\x04"

// somebody runs a command elsewhere, as another sample user.
func (p *place) somebody(username, command string, want ...string) {
	p.t.Helper()
	p.sees("LIBRARY_SERVER="+p.library.base+" LIBRARY_TOKEN="+p.idp.login(p.t, username)+" "+command, want...)
}

func TestTheJourneyOfALibrarianAtTheDesk(t *testing.T) {
	t.Parallel()
	p := arrive(t, "pparker")
	p.somebody("ckent", "library users edit 'bruce wayne' --card CARD-7", "Bruce Wayne")
	p.sees("library copies edit 'clean code' --barcode B-0001 --shelf 'B 12'", `Changed the copy B-0001 of "Clean Code".`)
	p.sees("library copies edit 'homo faber' --barcode B-0002", "B-0002")

	// A reader comes with two books. One scan goes wrong, and the line goes on.
	p.clear()
	p.enter("library desk lend")
	p.await("Card: ")
	p.scan("B-0001", `"B-0001" is a book. Scan the card of the reader first.`)
	p.scan("CARD-7", "Lending to Bruce Wayne, who has nothing yet.")
	p.scan("B-0001", `Lent "Clean Code" to Bruce Wayne until `)
	p.scan("nonsense", `The library knows no barcode, card, ISBN or title "nonsense".`)
	p.scan("B-0002", `Lent "Homo faber" to Bruce Wayne until `)
	p.clear()
	p.key(ctrlD)
	p.await("Lent 2 books to 1 reader; 2 scans failed.")
	p.await(prompt)
	p.sees("library loans list", "READER", "Clean Code", "Bruce Wayne", "in 28 days")

	// Somebody else wants one of them.
	p.somebody("bbanner", "library holds add 'clean code'", `You have reserved "Clean Code": next in the queue.`)
	p.sees("library holds list", "Bruce Banner", "next in the queue")
	p.seesCode(6, "library loans renew 'clean code'", `Somebody is waiting for "Clean Code", so it cannot be renewed.`)

	// The books come back: the one is set aside, the other goes to its shelf.
	p.clear()
	p.enter("library desk return")
	p.await("Return: ")
	p.scan("B-0001", `"Clean Code" is back from Bruce Wayne. Set aside for Bruce Banner until`) // a line ends here if the name of the day is long
	p.scan("B-0002", `"Homo faber" is back from Bruce Wayne. Put it back on its shelf.`)
	p.scan("B-0002", `"Homo faber" is not on loan. Put it back on its shelf.`)
	p.clear()
	p.key(ctrlD)
	p.await("Took 2 books back, 1 of them to set aside; 1 scan failed.")
	p.await(prompt)
	p.sees("library holds list --ready", "Clean Code", "Bruce Banner", "ready until ")

	// Who waited has no card. The name does.
	p.clear()
	p.enter("library desk lend")
	p.await("Card: ")
	p.scan("Bruce Banner", "Lending to Bruce Banner, who has nothing yet.")
	p.scan("B-0001", `Lent "Clean Code" to Bruce Banner until `)
	p.clear()
	p.key(ctrlC)
	p.await("interrupted")
	p.await(prompt)
	p.sees("library copies list 'clean code'", "lent to Bruce Banner, due in 28 days")
	p.sees("library books show 'clean code'", "On loan to Bruce Banner")
	p.sees("library logout", "Signed out")
}
