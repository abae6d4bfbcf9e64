package web

import (
	"cmp"
	"encoding/json"
)

const manifestName = "manifest.webmanifest"

// manifest is the web application manifest, for installing the client: https://www.w3.org/TR/appmanifest/
type manifest struct {
	ID         string `json:"id"`
	Name       string `json:"name"`
	ShortName  string `json:"short_name"`
	StartURL   string `json:"start_url"`
	Scope      string `json:"scope"`
	Display    string `json:"display"`
	Background string `json:"background_color"`
	Theme      string `json:"theme_color"`
	Icons      []icon `json:"icons"`
}

type icon struct {
	Source  string `json:"src"` // relative to the manifest
	Sizes   string `json:"sizes"`
	Type    string `json:"type"`
	Purpose string `json:"purpose"` // maskable: may be cut to any shape
}

// newManifest returns the manifest with the name and the base path.
func newManifest(cfg Config) (file, error) {
	const paper = "#f7f5f0" // --back in style.css
	name := cmp.Or(cfg.Name, noName)
	data, err := json.Marshal(manifest{
		ID: cfg.BasePath, Name: name, ShortName: name, StartURL: cfg.BasePath, Scope: cfg.BasePath,
		Display: "standalone", Background: paper, Theme: paper,
		Icons: []icon{
			{"icon.svg", "any", "image/svg+xml", "any"},
			{"icon-192.png", "192x192", "image/png", "any"},
			{"icon-512.png", "512x512", "image/png", "any"},
			{"icon-maskable-192.png", "192x192", "image/png", "maskable"},
			{"icon-maskable-512.png", "512x512", "image/png", "maskable"},
		},
	})
	if err != nil {
		return file{}, err
	}
	return newFile(manifestName, data)
}
