// Command reference is what a careful engineer would write by hand for lists,
// books, searches, loans and returns, with net/http, golang-jwt and pgx: the
// service that make bench compares with. It keeps the same promises about
// lending (one open loan of a copy, a due date, a limit of loans, nothing
// answered before it is durable). It has no holds, no events, no metrics, no
// log of requests and no response cache.
//
//	reference DATABASE ISSUER KEYS-URL
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
	if len(os.Args) != 4 {
		log.Fatal("usage: reference DATABASE ISSUER KEYS-URL")
	}
	ctx := context.Background()
	s, err := openStore(ctx, os.Args[1])
	if err != nil {
		log.Fatal(err)
	}
	v, err := newVerifier(os.Args[2], os.Args[3])
	if err != nil {
		log.Fatal(err)
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		log.Fatal(err)
	}
	server := &http.Server{
		Handler:           routes(s, v),
		ReadHeaderTimeout: 10 * time.Second, ReadTimeout: 30 * time.Second, WriteTimeout: time.Minute, IdleTimeout: 2 * time.Minute,
	}
	fmt.Fprintln(os.Stderr, "listening addr="+listener.Addr().String())
	log.Fatal(server.Serve(listener))
}
