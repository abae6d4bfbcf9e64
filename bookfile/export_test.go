package bookfile

// ISBNOf is isbnOf.
func ISBNOf(cell string) (isbn, bad string) {
	isbn, reason := isbnOf(cell)
	return isbn, reason.Text
}
