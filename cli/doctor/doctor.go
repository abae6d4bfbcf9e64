// Package doctor is 'library doctor': it finds out why a login does not work.
// Start reading at examination, the state of the checks.
package doctor

import (
	"cmp"
	"context"
	"fmt"
	"net/http"
	"slices"
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

// finding is the result of one check, with advice.
type finding struct {
	Check  string `json:"check"`
	OK     bool   `json:"ok"`
	Text   string `json:"text"`
	Advice string `json:"advice,omitempty"`
}

// examination goes from the outside to the inside: a problem further out is often
// the reason for a problem further in.
type examination struct {
	a        *command.App
	address  string
	issuer   string
	clientID string
	person   bool // people sign in with the client, in a browser
	http     *http.Client
	findings []finding

	token  string         // "" if there is none
	key    *client.Key    // the token is bound to it; nil if to none
	claims command.Claims // of the token
	keys   []string
	clocks []clockReading

	asked  bool // the library was asked about the caller
	client *client.Client
	me     api.Me // its answer,
	meErr  error  // or the error in its place
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
		x.checkDirectory(ctx)
	}
	if err := x.print(); err != nil {
		return err
	}
	if problems := x.problems(); problems > 0 && ctx.Err() == nil {
		return command.Fail(command.ExitFailed, "%d of %d checks failed.", problems, len(x.findings))
	}
	return ctx.Err()
}

func (x *examination) problems() int {
	problems := 0
	for _, f := range x.findings {
		if !f.OK {
			problems++
		}
	}
	return problems
}

// newExamination chooses the library, the provider and the token to look at.
// Nobody has to be signed in.
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
		return command.Lines(x.a.Term, command.Sequence(x.findings), func(f finding) []string { return []string{f.mark(), f.Check, f.Text, f.Advice} })
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

// clockReading is how far the clock of another machine is ahead of ours.
type clockReading struct {
	whose string
	ahead time.Duration
}

// mostDrift is the largest harmless difference between two clocks.
const mostDrift = 5 * time.Second

// checkClock compares the clocks: a token is good at certain times only.
func (x *examination) checkClock() {
	if len(x.clocks) == 0 {
		return // nobody answered
	}
	worst := slices.MaxFunc(x.clocks, func(a, b clockReading) int { return int(a.ahead.Abs() - b.ahead.Abs()) })
	if worst.ahead.Abs() <= mostDrift {
		x.ok("clock", "right to within 5 seconds")
		return
	}
	direction := "ahead of"
	if worst.ahead < 0 {
		direction = "behind"
	}
	x.bad("clock", fmt.Sprintf("the clock of %s is %s %s that of this machine", worst.whose, command.Duration(worst.ahead.Abs()), direction),
		"Set the clocks, or good tokens look as if they had expired or were not valid yet.")
}
