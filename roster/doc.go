// Package roster decides what becomes of the rows of an import of people: whom a row is
// about, what it replaces, and why it may not. It is a part of the domain that knows no
// store: package library finds the users, writes what is decided, and judges the caller.
//
// A row is about the user with its e-mail address, or else about the one with its card.
//
//	Import  import.go  the rows, and how far they have come: start here
//	        named.go   what all rows name, whichever comes first
//	        people.go  the users as the rows so far have left them
//	Row     row.go     what a row says, and what that changes
package roster
