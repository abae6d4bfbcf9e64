// Command reference is what a careful engineer would write by hand for loans and
// returns, with net/http, golang-jwt and pgx: the service that make bench compares with. It keeps the same promises about
// lending (one open loan of a copy, a due date, a limit of loans, nothing
// answered before it is durable). It has no holds, no events, no metrics, no
// log of requests and no response cache.
//
// With a fourth argument it has the tables of the program in place of its own small ones, and
// writes the same records, so that the work is the same: alike with a round trip for each statement,
// batch with two for a transaction. That is for loans and returns alone.
//
//	reference DATABASE ISSUER KEYS-URL [alike|batch]
package main

import (
	"context"
	"fmt"
	"log"
	"net"
	"net/http"
	"os"
	"time"
)

func main() {
	if len(os.Args) < 4 {
		log.Fatal("usage: reference DATABASE ISSUER KEYS-URL [alike|batch]")
	}
	v, err := newVerifier(os.Args[2], os.Args[3])
	if err != nil {
		log.Fatal(err)
	}
	mux, err := open(context.Background(), os.Args[1], os.Args[4:], v)
	if err != nil {
		log.Fatal(err)
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		log.Fatal(err)
	}
	server := &http.Server{
		Handler:           mux,
		ReadHeaderTimeout: 10 * time.Second, ReadTimeout: 30 * time.Second, WriteTimeout: time.Minute, IdleTimeout: 2 * time.Minute,
	}
	fmt.Fprintln(os.Stderr, "listening addr="+listener.Addr().String())
	log.Fatal(server.Serve(listener))
}

func open(ctx context.Context, database string, how []string, v *verifier) (*http.ServeMux, error) {
	if len(how) > 0 {
		a, err := newAlike(ctx, database, how[0] == "batch")
		if err != nil {
			return nil, err
		}
		return routes(a, v), nil
	}
	s, err := openStore(ctx, database)
	if err != nil {
		return nil, err
	}
	return routes(s, v), nil
}
