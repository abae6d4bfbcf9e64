package bookfile

// ISBNOf is isbnOf.
var ISBNOf = isbnOf
