package account

import (
	"context"
	"time"

	"example.org/library/cli/command"
	"example.org/library/client"
	"example.org/library/terminal"
)

// inBrowser lets the person sign in at the provider's own page, and says that it
// waits for that.
func inBrowser(ctx context.Context, a *command.App, o *loginOptions, p *client.Provider, c client.Credentials) (client.Token, error) {
	options := client.SignInOptions{Client: c, Scopes: o.allScopes(), For: o.library}
	short := ""
	options.Short = func(address string) { short = terminal.Clean(address) }
	before := ""
	if !o.noBrowser {
		before = "There is no browser to open here. "
		options.Launch = func(address string) error {
			if err := a.Term.Open(address); err != nil {
				return err
			}
			a.Message("Opening the login page of %s in your browser.\nIf nothing opens, go to %s yourself.", terminal.Clean(p.Issuer()), short)
			a.Message("Waiting for you to sign in there (Ctrl-C gives up).")
			return nil
		}
	}
	options.Open = func(address string) error {
		a.Message("%sOpen this address in a browser on this machine to sign in:\n\n  %s\n\nor, if you have to type it, this one:\n\n  %s\n",
			before, terminal.Clean(address), short)
		if overSSH(a) {
			a.Message("You are here over SSH. If your browser is on another machine, press Ctrl-C and run 'library login --device'.")
		}
		a.Message("Waiting for you to sign in there (Ctrl-C gives up).")
		return nil
	}
	return p.SignIn(ctx, options)
}

// overSSH reports whether the person is probably at another machine.
func overSSH(a *command.App) bool {
	set := func(name string) bool { value, _ := a.Env.Lookup(name); return value != "" }
	return set("SSH_CONNECTION") && !set("DISPLAY") && !set("WAYLAND_DISPLAY")
}

// onAnotherDevice lets the person sign in with a browser that is elsewhere.
func onAnotherDevice(ctx context.Context, a *command.App, o *loginOptions, p *client.Provider, c client.Credentials) (client.Token, error) {
	return p.SignInDevice(ctx, client.DeviceOptions{Client: c, Scopes: o.allScopes(), For: o.library, Show: func(prompt client.DevicePrompt) error {
		a.Message("Open this address in a browser on any machine:\n\n  %s\n\nand type this code:\n\n  %s\n",
			terminal.Clean(prompt.Address), command.Painted(a.Term.PaintErr(terminal.Bold, terminal.Clean(prompt.Code))))
		if minutes := int(time.Until(prompt.Expiry).Round(time.Minute) / time.Minute); minutes > 1 {
			a.Message("Waiting for you to allow it there, for up to %d minutes (Ctrl-C gives up).", minutes)
		} else {
			a.Message("Waiting for you to allow it there (Ctrl-C gives up).")
		}
		return nil
	}})
}
