// Package doctor is 'library doctor', which finds out why a login does not work.
// Start reading at examination, which lists what is looked at.
package doctor

import (
	"cmp"
	"context"
	"net/http"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"example.org/library/api"
	"example.org/library/cli/command"
	"example.org/library/client"
	"example.org/library/profile"
	"example.org/library/terminal"
)

// New makes 'library doctor'.
func New(a *command.App) *cobra.Command {
	var issuer string
	cmd := &cobra.Command{
		Use:   "doctor",
		Short: "Find out why a login does not work",
		Long: `Find out why a login does not work: look at the library, the identity provider and
your token, one thing after the other, and say what to change.

In a pipe each line is ok or !!, the thing, what was found, and what to do,
separated by tabs. The exit code is 0 if nothing is wrong, else 1.`,
		Example: `  library doctor
  library doctor --server https://library.example.com/library-server --issuer https://id.example.com/realms/main
  LIBRARY_TOKEN=$TOKEN library doctor --json`,
	}
	a.Command(cmd, func(ctx context.Context, _ []string) error { return doctor(ctx, a, issuer) })
	a.ServerFlag(cmd)
	cmd.Flags().StringVar(&issuer, "issuer", "", "the identity provider to look at; remembered for a library (LIBRARY_ISSUER)")
	a.JSONFlag(cmd, "what was found")
	return cmd
}

// finding is what the doctor says of one thing.
type finding struct {
	Check  string `json:"check"`
	OK     bool   `json:"ok"`
	Text   string `json:"text"`
	Advice string `json:"advice,omitempty"`
}

// examination goes from the outside to the inside: what is wrong further out is
// often the reason for what is wrong further in.
type examination struct {
	a        *command.App
	address  string
	issuer   string
	clientID string
	person   bool // the client is one that people sign in with, in a browser
	http     *http.Client
	findings []finding

	token  string         // "" if there is none
	key    *client.Key    // that it is bound to, nil if to none
	claims command.Claims // of the token
	keys   []string
	clocks []clockReading

	asked bool   // the library was asked who the caller is
	me    api.Me // what it said,
	meErr error  // or why it did not
}

// clockReading is by how much the clock of somebody is ahead of ours.
type clockReading struct {
	whose string
	ahead time.Duration
}

func (x *examination) ok(check, text string) {
	x.findings = append(x.findings, finding{check, true, text, ""})
}

func (x *examination) bad(check, text, advice string) {
	x.findings = append(x.findings, finding{check, false, text, advice})
}

func doctor(ctx context.Context, a *command.App, issuer string) error {
	x, err := newExamination(a, issuer)
	if err != nil {
		return err
	}
	reachable := x.checkServer(ctx)
	x.checkProvider(ctx)
	x.checkSignIn(ctx)
	x.checkClock()
	if x.token != "" && reachable {
		x.askWhoIAm(ctx)
	}
	if x.token != "" && x.checkToken() {
		x.checkClaims()
	}
	if x.asked {
		x.checkMe()
	}
	if err := x.print(); err != nil {
		return err
	}
	if problems := x.problems(); problems > 0 && ctx.Err() == nil {
		verb := "need"
		if problems == 1 {
			verb = "needs"
		}
		return command.Fail(command.ExitFailed, "%d of %d things %s attention.", problems, len(x.findings), verb)
	}
	return ctx.Err()
}

// problems counts what is wrong.
func (x *examination) problems() int {
	problems := 0
	for _, f := range x.findings {
		if !f.OK {
			problems++
		}
	}
	return problems
}

// newExamination finds out what to look at. Nobody has to be signed in.
func newExamination(a *command.App, issuer string) (*examination, error) {
	address, err := a.Address()
	if err != nil {
		return nil, err
	}
	_, all, err := a.RememberedServers()
	if err != nil {
		return nil, err
	}
	if len(all.All)+len(all.SignedOut) == 0 && a.Chosen() == "" && a.Token() == "" {
		return nil, command.Fail(command.ExitNotSignedIn, "Nobody has signed in to a library here yet, so there is none to look at.\n"+
			"Run 'library login' first, or name the library with --server, such as --server %s for 'library demo'.", command.DemoServer)
	}
	x := &examination{a: a, address: address, issuer: a.Setting(issuer, "LIBRARY_ISSUER"), clientID: a.Setting("", "LIBRARY_CLIENT_ID")}
	x.http = &http.Client{
		Timeout:       10 * time.Second,
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
	known, found := all.Get(address)
	if !found {
		known, found = all.Left(address)
	}
	x.person = !known.Confidential && known.Kind != profile.Service
	x.clientID = cmp.Or(x.clientID, known.ClientID, command.DefaultClientID)
	x.token = a.Token()
	if x.token != "" {
		x.claims, _ = command.ReadClaims(x.token)
	}
	switch claimed, err := profile.Address(x.claims.Issuer); {
	case x.issuer != "":
	case found:
		x.issuer = known.Issuer
	case err == nil && claimed != "":
		x.issuer = x.claims.Issuer
	case address == command.DemoServer:
		x.issuer = command.DemoIssuer
	}
	return x, nil
}

// print shows the findings.
func (x *examination) print() error {
	if x.a.JSON {
		return x.a.PrintJSON(struct {
			OK       bool      `json:"ok"`
			Server   string    `json:"server"`
			Issuer   string    `json:"issuer,omitempty"`
			Findings []finding `json:"findings"`
		}{x.problems() == 0, x.address, x.issuer, x.findings})
	}
	if !x.a.Term.Interactive() {
		table := x.a.Term.NewTable(make([]terminal.Column, 4)...)
		for _, f := range x.findings {
			table.Row(f.mark(), f.Check, f.Text, f.Advice)
		}
		return table.Flush()
	}
	width := 0
	for _, f := range x.findings {
		width = max(width, len(f.Check))
	}
	var b strings.Builder
	for _, f := range x.findings {
		style := terminal.Green
		if !f.OK {
			style = terminal.Red
		}
		b.WriteString(x.a.Term.Paint(style, f.mark()) + "  " + f.Check + strings.Repeat(" ", width-len(f.Check)) + "  " + x.a.Below(width+6, terminal.Clean(f.Text)) + "\n")
		if f.Advice != "" {
			b.WriteString(strings.Repeat(" ", width+6) + x.a.Term.Paint(terminal.Bold, x.a.Below(width+6, terminal.Clean(f.Advice))) + "\n")
		}
	}
	_, err := x.a.Term.Out.Write([]byte(b.String()))
	return err
}

func (f finding) mark() string {
	if f.OK {
		return "ok"
	}
	return "!!"
}
