package client_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"time"

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

// A token that was stored is renewed as long as the session lasts.
func ExampleNewSource() {
	issuer, stop := client.StartWorkshop()
	defer stop()
	folder, err := os.MkdirTemp("", "library")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(folder)
	save := func(t client.Token) error {
		data, err := json.Marshal(t)
		if err != nil {
			return err
		}
		return os.WriteFile(filepath.Join(folder, "token.json"), data, 0o600)
	}

	ctx := context.Background()
	provider, err := client.Discover(ctx, issuer, nil)
	if err != nil {
		log.Fatal(err)
	}
	me := client.Credentials{ID: "library-client", Secret: "9584640c-3804-4dcd-997b-93593cfb9ea7"}
	token, err := provider.Password(ctx, me, "bwayne", "wayne") // a test: otherwise SignIn
	if err != nil {
		log.Fatal(err)
	}
	token.Expiry = time.Now() // as if it had lain there for a while

	source := client.NewSource(token, func(ctx context.Context, old client.Token) (client.Token, error) {
		next, err := provider.Refresh(ctx, me, old)
		if err != nil {
			return client.Token{}, err
		}
		return next, save(next) // the old one is worth nothing by now
	})
	fresh, err := source.Token(ctx)
	fmt.Println("renewed:", err == nil && fresh.Access != token.Access)

	if err := provider.Revoke(ctx, me, fresh); err != nil {
		log.Fatal(err)
	}
	_, err = provider.Refresh(ctx, me, fresh)
	fmt.Println(err)
	// Output:
	// renewed: true
	// the session has ended; sign in again
}
