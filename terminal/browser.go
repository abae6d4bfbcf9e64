package terminal

import (
	"errors"
	"os/exec"
	"runtime"
	"strings"
)

// ErrNoBrowser says that there is no browser to open.
var ErrNoBrowser = errors.New("there is no browser")

// Open opens an address in the person's browser: the one that BROWSER names, or
// the system's. It does not wait for it.
func (t *Terminal) Open(address string) error {
	path, args := t.findBrowser()
	if path == "" {
		return ErrNoBrowser
	}
	cmd := exec.Command(path, append(args, address)...)
	if err := cmd.Start(); err != nil {
		return ErrNoBrowser
	}
	go cmd.Wait() // the browser may run longer than we do
	return nil
}

// CanOpen reports whether there is a browser to open.
func (t *Terminal) CanOpen() bool {
	path, _ := t.findBrowser()
	return path != ""
}

// findBrowser is browser with the path of a program that is there, "" if it is not.
func (t *Terminal) findBrowser() (path string, args []string) {
	name, args := t.browser()
	path, err := exec.LookPath(name)
	if err != nil {
		return "", nil
	}
	return path, args
}

// browser is the command that opens an address.
func (t *Terminal) browser() (name string, args []string) {
	if given := strings.Fields(t.env("BROWSER")); len(given) > 0 {
		return given[0], given[1:]
	}
	if runtime.GOOS == "darwin" {
		return "open", nil
	}
	if t.env("DISPLAY") == "" && t.env("WAYLAND_DISPLAY") == "" {
		return "", nil // xdg-open would start a browser in the terminal, or none
	}
	return "xdg-open", nil
}
