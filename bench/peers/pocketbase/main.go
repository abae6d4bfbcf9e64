// Command pocketbase is PocketBase with a library in it, as its documentation
// advises: books are a collection with its own API, lending is a route in Go that
// runs in a transaction.
//
//	pocketbase FOLDER PORT BOOKS WHO SYNCHRONOUS
//
// It writes the tokens of the readers and the identifiers of the books to WHO.
// SYNCHRONOUS is NORMAL, as PocketBase is shipped, or FULL.
package main

import (
	"encoding/json"
	"fmt"
	"log"
	"net"
	"net/http"
	"os"
	"time"

	"github.com/pocketbase/dbx"
	"github.com/pocketbase/pocketbase"
	"github.com/pocketbase/pocketbase/apis"
	"github.com/pocketbase/pocketbase/core"
	"github.com/pocketbase/pocketbase/tools/types"
)

type library struct {
	Readers []struct{ ID, Email, FirstName, LastName string }
	List    []struct {
		Title, ISBN, Description string
		Authors                  []string
	}
}

func main() {
	folder, addr, books, who := os.Args[1], "127.0.0.1:"+os.Args[2], os.Args[3], os.Args[4]
	app := pocketbase.NewWithConfig(pocketbase.Config{DefaultDataDir: folder, HideStartBanner: true, DBConnect: connect(os.Args[5])})
	if err := app.Bootstrap(); err != nil {
		log.Fatal(err)
	}
	if err := app.RunAllMigrations(); err != nil {
		log.Fatal(err)
	}
	if _, err := app.FindCollectionByNameOrId("books"); err != nil {
		if err := fill(app, books, who); err != nil {
			log.Fatal(err)
		}
	}
	app.OnServe().BindFunc(func(se *core.ServeEvent) error {
		se.Router.POST("/books/{id}/borrow", borrow).Bind(apis.RequireAuth("users"))
		se.Router.POST("/books/{id}/return", giveBack).Bind(apis.RequireAuth("users"))
		go announce(addr)
		return se.Next()
	})
	log.Fatal(apis.Serve(app, apis.ServeConfig{HttpAddr: addr}))
}

// connect is core.DefaultDBConnect with another setting of synchronous, which must be
// made for each connection.
func connect(synchronous string) core.DBConnectFunc {
	return func(path string) (*dbx.DB, error) {
		return dbx.Open("sqlite", path+"?_pragma=busy_timeout(10000)&_pragma=journal_mode(WAL)&_pragma=journal_size_limit(200000000)"+
			"&_pragma=synchronous("+synchronous+")&_pragma=foreign_keys(ON)&_pragma=temp_store(MEMORY)&_pragma=cache_size(-32000)")
	}
}

// announce says when the server takes connections.
func announce(addr string) {
	for {
		if conn, err := net.Dial("tcp", addr); err == nil {
			conn.Close()
			fmt.Fprintln(os.Stderr, "listening addr="+addr)
			return
		}
		time.Sleep(time.Millisecond)
	}
}

// fill makes the collections and their records.
func fill(app core.App, file, who string) error {
	text, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	var l library
	if err := json.Unmarshal(text, &l); err != nil {
		return err
	}
	signedIn := types.Pointer(`@request.auth.id != ""`)
	books := core.NewBaseCollection("books")
	books.ListRule, books.ViewRule = signedIn, signedIn
	books.Fields.Add(&core.TextField{Name: "title", Required: true}, &core.TextField{Name: "isbn"}, &core.TextField{Name: "description"},
		&core.JSONField{Name: "authors"}, &core.BoolField{Name: "borrowed"})
	books.AddIndex("books_by_title", false, "title", "")
	if err := app.Save(books); err != nil {
		return err
	}
	users, err := app.FindCollectionByNameOrId("users")
	if err != nil {
		return err
	}
	loans := core.NewBaseCollection("loans")
	loans.Fields.Add(&core.RelationField{Name: "book", CollectionId: books.Id, Required: true, MaxSelect: 1},
		&core.RelationField{Name: "user", CollectionId: users.Id, Required: true, MaxSelect: 1},
		&core.DateField{Name: "due"}, &core.DateField{Name: "returned"})
	loans.AddIndex("loans_one_open", true, "book", "returned = ''")
	if err := app.Save(loans); err != nil {
		return err
	}
	var made struct{ Tokens, Books []string }
	err = app.RunInTransaction(func(tx core.App) error {
		for _, r := range l.Readers {
			u := core.NewRecord(users)
			u.SetEmail(r.Email)
			u.SetRandomPassword()
			if err := tx.Save(u); err != nil {
				return err
			}
			token, err := u.NewAuthToken()
			if err != nil {
				return err
			}
			made.Tokens = append(made.Tokens, token)
		}
		for _, b := range l.List {
			r := core.NewRecord(books)
			r.Load(map[string]any{"title": b.Title, "isbn": b.ISBN, "description": b.Description, "authors": b.Authors})
			if err := tx.Save(r); err != nil {
				return err
			}
			made.Books = append(made.Books, r.Id)
		}
		return nil
	})
	if err != nil {
		return err
	}
	out, _ := json.Marshal(made) // strings always marshal
	return os.WriteFile(who, out, 0o600)
}

// openLoan is the open loan of a book, nil if nobody has it.
func openLoan(tx core.App, book string) *core.Record {
	loan, err := tx.FindFirstRecordByFilter("loans", "book = {:book} && returned = ''", dbx.Params{"book": book})
	if err != nil {
		return nil
	}
	return loan
}

// lend changes a book and its open loan in a transaction. change returns the loan to
// save, nil if there is nothing to do.
func lend(e *core.RequestEvent, change func(tx core.App, book, loan *core.Record) (*core.Record, error)) error {
	var book *core.Record
	err := e.App.RunInTransaction(func(tx core.App) (err error) {
		if book, err = tx.FindRecordById("books", e.Request.PathValue("id")); err != nil {
			return e.NotFoundError("", err)
		}
		loan, err := change(tx, book, openLoan(tx, book.Id))
		if err != nil || loan == nil {
			return err
		}
		if err := tx.Save(loan); err != nil {
			return err
		}
		return tx.Save(book)
	})
	if err != nil {
		return err
	}
	return e.JSON(http.StatusOK, book)
}

func borrow(e *core.RequestEvent) error {
	return lend(e, func(tx core.App, book, loan *core.Record) (*core.Record, error) {
		switch {
		case loan != nil && loan.GetString("user") != e.Auth.Id:
			return nil, e.Error(http.StatusConflict, "The book is already borrowed.", nil)
		case loan != nil:
			return nil, nil
		}
		loans, err := tx.FindCachedCollectionByNameOrId("loans")
		if err != nil {
			return nil, err
		}
		loan = core.NewRecord(loans)
		loan.Load(map[string]any{"book": book.Id, "user": e.Auth.Id, "due": time.Now().AddDate(0, 0, 28)})
		book.Set("borrowed", true)
		return loan, nil
	})
}

func giveBack(e *core.RequestEvent) error {
	return lend(e, func(_ core.App, book, loan *core.Record) (*core.Record, error) {
		switch {
		case loan == nil:
			return nil, e.Error(http.StatusConflict, "The book is not borrowed.", nil)
		case loan.GetString("user") != e.Auth.Id:
			return nil, e.ForbiddenError("Somebody else has the book.", nil)
		}
		loan.Set("returned", time.Now())
		book.Set("borrowed", false)
		return loan, nil
	})
}
