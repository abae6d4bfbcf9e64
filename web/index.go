package web

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"html"
	"strings"
)

const (
	indexName = "index.html"

	// assets is the folder of files with a hash in their name.
	assets = "assets/"

	// slot is the place of the configuration in index.html. A browser runs no script of this type, so
	// the policy needs no exception for it.
	slot = `<script type="application/json" id="config">{}</script>`

	// heading is the title of a library without a name, until the client runs and sets it in the reader's language.
	heading = "<title>" + noName + "</title>"
	noName  = "Library"
)

// settings is the configuration in the client's form.
type settings struct {
	Issuer          string                        `json:"issuer"`
	API             string                        `json:"api"`
	ClientID        string                        `json:"clientId"`
	BasePath        string                        `json:"basePath"` // begins and ends with a slash
	Scopes          string                        `json:"scopes"`   // separated by spaces
	Name            string                        `json:"name"`
	PublicCatalogue bool                          `json:"publicCatalogue,omitempty"`
	Library         func(context.Context) Library `json:"-"` // is asked for
	TLS             bool                          `json:"-"` // is in a header
}

// fill puts the configuration, the base path and the name into the built page, so one build fits every place.
func fill(page []byte, cfg Config) ([]byte, error) {
	if bytes.Count(page, []byte(slot)) != 1 {
		return nil, errors.New("index.html of the client has no place for its configuration: " + slot)
	}
	// Marshal escapes characters that could end the element.
	data, err := json.Marshal(settings(cfg))
	if err != nil {
		return nil, err
	}
	page = bytes.ReplaceAll(page, []byte(`="./`), []byte(`="`+cfg.BasePath))
	page = bytes.Replace(page, []byte(heading), []byte("<title>"+html.EscapeString(cmp.Or(cfg.Name, noName))+"</title>"), 1)
	return bytes.Replace(page, []byte(slot), []byte(strings.Replace(slot, "{}", string(data), 1)), 1), nil
}

// notBuilt replaces a missing client.
const notBuilt = `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<link rel="icon" href="data:,">
<title>Library</title>
<main>
<h1>The browser client is not part of this build</h1>
<p>It is built with Node 20 or newer. In the folder of the sources:</p>
<pre>make web     # builds the client
make build   # builds the program with it</pre>
<p>The API and the identity provider are not concerned.</p>
</main>
</html>
`
