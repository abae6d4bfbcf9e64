package command

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strings"

	"example.org/library/api"
	"example.org/library/client"
	"example.org/library/terminal"
)

// Scans is a session with a scanner. The scanner types each code and presses the return
// key, so a scan is a line, and its answer is a line.
type Scans struct {
	App    *App
	Client *client.Client

	Prompt  func() string
	Answer  func(ctx context.Context, code string) (ScanAnswer, error)
	Summary func() string // sums up all scans, for the end

	all, failed int
	first       error // of the first failed scan
}

// ScanAnswer is the result of a scan, as --json prints it.
type ScanAnswer struct {
	Code   string      `json:"code"`             // as scanned
	Reader *api.Reader `json:"reader,omitempty"` // borrows from now on
	Loan   *api.Loan   `json:"loan,omitempty"`   // begun or ended
	Book   *api.Book   `json:"book,omitempty"`   // added, or there already
	Scan   *api.Scan   `json:"scan,omitempty"`   // of a stocktake

	Candidates []api.Loan `json:"candidates,omitempty"` // that a copy may belong to

	Message string `json:"message"`
	Error   string `json:"error,omitempty"` // code of a refusal, or codeFailed
}

// longestScan is the longest line, in bytes. A longer one was not scanned.
const longestScan = 4096

// Run reads and answers scans until the input ends. A failed scan does not stop the
// next one. In a pipe, where nobody has seen the failure, it sets the exit code.
func (s *Scans) Run(ctx context.Context) error {
	lines := bufio.NewScanner(Interruptible{Ctx: ctx, In: s.App.Env.Stdin})
	lines.Buffer(make([]byte, 0, longestScan), longestScan)
	asking := s.App.Term.CanAsk()
	for {
		if asking {
			fmt.Fprint(s.App.Term.Err, terminal.Clean(s.Prompt()))
		}
		if !lines.Scan() {
			break
		}
		code := strings.TrimSpace(strings.TrimPrefix(lines.Text(), "\ufeff"))
		if code == "" {
			continue
		}
		if err := s.one(ctx, code); err != nil {
			return err
		}
	}
	if asking {
		fmt.Fprintln(s.App.Term.Err) // the prompt ends without a line break
	}
	if err := lines.Err(); err != nil {
		if errors.Is(err, bufio.ErrTooLong) {
			err = Fail(ExitFailed, "A line has more than %s characters; that was not scanned.", Thousands(longestScan))
		}
		return err
	}
	s.App.Message("%s", s.summary())
	if s.failed > 0 && !asking {
		return Fail(ExitCode(s.first), "%d of %d scans failed.", s.failed, s.all)
	}
	return nil
}

// summary returns the last line of a session: "Lent 3 books to 2 readers; 1 scan failed."
func (s *Scans) summary() string {
	text := s.Summary()
	if s.failed > 0 {
		text += "; " + Quantity(s.failed, "scan") + " failed"
	}
	return text + "."
}

// one answers a scan. It returns an error only if all other scans would fail, too.
func (s *Scans) one(ctx context.Context, code string) error {
	s.all++
	answer, err := s.Answer(ctx, code)
	answer.Code = code
	if err == nil {
		return s.say(answer)
	}
	if ctx.Err() != nil || IsFinal(err) {
		return err
	}
	answer.Error = RefusalCode(err)
	err = s.App.Explain(ctx, s.Client, err)
	if s.failed++; s.first == nil {
		s.first = err
	}
	answer.Message = strings.Join(strings.Fields(err.Error()), " ") // one line
	if s.App.JSON {
		return s.say(answer)
	}
	if s.App.Term.CanAsk() {
		fmt.Fprint(s.App.Term.Err, "\a") // the person looks at the books
	}
	s.App.Env.PrintError(errors.New(answer.Message))
	return nil
}

func (s *Scans) say(answer ScanAnswer) error {
	text := terminal.Fit(s.App.Term.Out, s.App.Env.Lookup, terminal.Clean(answer.Message))
	if s.App.JSON {
		line, err := json.Marshal(answer)
		if err != nil {
			return err
		}
		if text = string(line); s.App.Term.Interactive() {
			text = terminal.CleanJSON(text)
		}
	}
	_, err := fmt.Fprintln(s.App.Term.Out, text)
	return err
}

// IsFinal reports whether an error is about the person at the scanner, not about the scan.
func IsFinal(err error) bool {
	refused, is := AsRefusal(err)
	return errors.Is(err, client.ErrSessionEnded) ||
		is && (refused.Status == http.StatusUnauthorized || refused.Status == http.StatusForbidden)
}
