package main

import (
	"context"

	"example.org/library/client"
)

// token is an access token from the environment: it skips everything that has
// to do with signing in.
func (a *app) token() string {
	token, _ := a.env.lookup("LIBRARY_TOKEN")
	return token
}

// chosen is the server that the person named, "" if none.
func (a *app) chosen() string {
	if a.server != "" {
		return a.server
	}
	named, _ := a.env.lookup("LIBRARY_SERVER")
	return named
}

// source finds the server to speak to and the token for it.
func (a *app) source(context.Context) (address string, source *client.Source, err error) {
	address = a.chosen()
	if address == "" {
		address = demoServer
	}
	if token := a.token(); token != "" {
		return address, client.StaticSource(client.Token{Access: token}), nil
	}
	return "", nil, fail(exitNotSignedIn, "You are not signed in to %s. Run 'library login' first.", address)
}
