package client_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log"
	"net/http"
	"net/http/httptest"
	"time"

	"example.org/library/api"
	"example.org/library/client"
)

// A program that acts for itself: it gets a token when it needs one.
func Example() {
	issuer, stop := client.StartWorkshop()
	defer stop()
	service := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		fmt.Println("the service was shown a token:", r.Header.Get("Authorization") != "")
	}))
	defer service.Close()

	ctx := context.Background()
	provider, err := client.Discover(ctx, issuer, nil)
	if err != nil {
		log.Fatal(err)
	}
	me := client.Credentials{ID: "library-client", Secret: "9584640c-3804-4dcd-997b-93593cfb9ea7"}
	source := client.NewSource(client.Token{}, func(ctx context.Context, _ client.Token) (client.Token, error) {
		return provider.ClientCredentials(ctx, me)
	})
	books, err := source.Client(service.URL + "/library-server")
	if err != nil {
		log.Fatal(err)
	}
	resp, err := books.Get(service.URL + "/library-server/books")
	if err != nil {
		log.Fatal(err)
	}
	resp.Body.Close()
	// Output: the service was shown a token: true
}

// A program for a person: it signs in once, and stores each token that comes
// after.
func ExampleProvider_SignIn() {
	issuer, stop := client.StartWorkshop()
	defer stop()
	browser := client.BrowserOf("pparker", "parker")

	ctx := context.Background()
	provider, err := client.Discover(ctx, issuer, nil)
	if err != nil {
		log.Fatal(err)
	}
	token, err := provider.SignIn(ctx, client.SignInOptions{
		Client: client.Credentials{ID: "library-cli"},
		Open: func(address string) error {
			fmt.Println("Open the address in your browser.")
			return browser(address)
		},
		Timeout: time.Minute,
	})
	switch {
	case errors.Is(err, client.ErrDenied):
		log.Fatal("So be it.")
	case err != nil:
		log.Fatal(err)
	}
	fmt.Println(token.Scope)
	// Output:
	// Open the address in your browser.
	// [library_curator email profile openid]
}

// A program at the desk: it lends what a scanner reads.
func ExampleClient_Lend() {
	address, stop := startDesk()
	defer stop()
	library, err := client.New(address, client.StaticSource(client.Token{Access: "a.curators.token"}))
	if err != nil {
		log.Fatal(err)
	}

	ctx := context.Background()
	scanned, err := library.Code(ctx, "CARD-7")
	if err != nil || scanned.Kind != api.CodeReader {
		log.Fatal("That is no card of a reader. ", err)
	}
	loan, err := library.Lend(ctx, client.LoanFields{User: scanned.Reader.Identifier, Barcode: "LIB-0042"})
	var refused *client.Error
	switch {
	case errors.As(err, &refused) && refused.Code == "reserved":
		log.Fatal("Somebody else is waiting for it.")
	case err != nil:
		log.Fatal(err)
	}
	due, err := time.Parse(api.InstantLayout, loan.DueAt)
	if err != nil {
		log.Fatal("It has no due date.")
	}
	fmt.Println(loan.Book.Title, "is with", scanned.Reader.FirstName, "until", due.Format("2 January 2006"))
	// Output: Clean Code is with Bruce until 13 December 2026
}

// startDesk is a service that knows one card and lends one book.
func startDesk() (address string, stop func()) {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		person := api.Person{Identifier: "c47641ee-e63c-4c13-8cd2-1c2490aee0b3", FirstName: "Bruce", LastName: "Wayne"}
		if r.URL.Path == "/codes/CARD-7" {
			json.NewEncoder(w).Encode(api.Code{Kind: api.CodeReader, Reader: &api.Reader{Person: person, Card: "CARD-7"}})
			return
		}
		w.WriteHeader(http.StatusCreated)
		json.NewEncoder(w).Encode(api.Loan{Book: api.BookRef{Title: "Clean Code"}, User: &person, DueAt: "2026-12-13T22:59:59Z"})
	}))
	return server.URL, server.Close
}
