package command

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"strings"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/spf13/cobra"

	"example.org/library/terminal"
)

// Exit codes.
const (
	ExitOK     = 0
	ExitFailed = 1
	ExitUsage  = 2 // a wrong command line or configuration

	// Of the commands that use a library.
	ExitNotSignedIn = 4
	ExitNotFound    = 5
	ExitConflict    = 6

	ExitInterrupted = 130 // by Ctrl-C
	exitTerminated  = 143 // by SIGTERM
)

// Environment is everything a command knows of its process.
type Environment struct {
	Lookup func(string) (string, bool)
	Names  func() []string // of all variables; nil if unknown
	Stdin  io.Reader
	Stdout io.Writer
	Stderr io.Writer

	Interrupts *Interrupts // nil if there are none

	ends      *[]func()   // run before the program ends
	variables *[]variable // read by commands, filled while the commands are made
}

// atEnd registers a function that runs before the program ends, unless it is killed.
func (e Environment) atEnd(do func()) {
	if e.ends != nil {
		*e.ends = append(*e.ends, do)
	}
}

// PrintError prints an error for a person. Errors quote input, so it cleans the text.
func (e Environment) PrintError(err error) {
	e.Message("library: " + terminal.CleanText(err.Error()))
}

// Message writes a text for a person, with its lines broken between words.
func (e Environment) Message(text string) {
	fmt.Fprintln(e.Stderr, terminal.Fit(e.Stderr, e.Lookup, text))
}

// Execute makes the commands, runs the one named in the arguments and returns the
// exit code. It prints the error, if there is one.
func Execute(ctx context.Context, args []string, env Environment, newRoot func(Environment) *cobra.Command) int {
	env.ends = &[]func(){}
	defer func() {
		for _, do := range *env.ends {
			do()
		}
	}()
	env.variables = &[]variable{}
	root := newRoot(env)
	root.SetArgs(args)
	root.SetOut(env.Stdout)
	root.SetErr(env.Stderr)
	err := root.ExecuteContext(ctx)
	if err == nil {
		return ExitOK
	}
	if ctx.Err() != nil && errors.Is(err, ctx.Err()) {
		err = Interrupted(ctx, "")
	}
	if badUsage, ok := errors.AsType[*UsageError](err); ok {
		env.Message(strings.TrimSuffix(terminal.CleanText(badUsage.Error()), "\n"))
	} else {
		env.PrintError(err)
	}
	return ExitCode(err)
}

// Errors of a command stopped by a signal. Shells add the number of the signal to 128.
var (
	errInterrupted = &Failure{code: ExitInterrupted, err: errors.New("interrupted")}
	errTerminated  = &Failure{code: exitTerminated, err: errors.New("terminated")}
)

// Interrupted returns the error of a command stopped by the end of its context. The
// text follows the reason, unless it is "".
func Interrupted(ctx context.Context, text string) error {
	stopped := errInterrupted
	errors.As(context.Cause(ctx), &stopped)
	if text == "" {
		return stopped
	}
	return Fail(stopped.code, "%w; %s", stopped, text)
}

// Interrupts lets a person stop the program with a signal. While another program
// has the terminal, Ctrl-C is for the other one, although both get the signal.
type Interrupts struct {
	lent  atomic.Bool
	hurry atomic.Pointer[chan struct{}]
}

// Watch returns a context that ends when a signal asks the program to stop.
func (i *Interrupts) Watch(ctx context.Context) (context.Context, context.CancelFunc) {
	watch, end := context.WithCancel(ctx)
	ctx, stop := context.WithCancelCause(watch)
	signals := make(chan os.Signal, 4)
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM)
	go func() {
		defer signal.Stop(signals) // a second signal ends the program at once
		i.listen(watch, signals, stop)
	}()
	return ctx, end
}

// listen calls stop at the first signal. After it has returned, the next signal ends
// the program at once.
func (i *Interrupts) listen(ctx context.Context, signals <-chan os.Signal, stop func(error)) {
	defer func() { stop(nil) }()
	for {
		select {
		case <-ctx.Done():
			return
		case s := <-signals:
			hurry, reason := i.hurry.Load(), errTerminated
			if s == os.Interrupt {
				reason = errInterrupted
			}
			switch {
			case s == os.Interrupt && i.lent.Load():
				continue
			case hurry == nil:
				stop(reason)
				return
			case s != os.Interrupt:
				stop(reason)
				select {
				case <-ctx.Done():
					return
				case <-signals:
				}
			}
			close(*hurry)
			return
		}
	}
}

// Hurry returns a channel for a command that takes its time to terminate. The channel is closed
// when the person does not want to wait for the command: at Ctrl-C, and at a second signal.
func (i *Interrupts) Hurry() <-chan struct{} {
	hurry := make(chan struct{})
	if i == nil { // no signal could close it
		close(hurry)
	} else {
		i.hurry.Store(&hurry)
	}
	return hurry
}

// late is how long a signal may still be on its way after it has ended the other program.
const late = 100 * time.Millisecond

// Lend leaves Ctrl-C to another program until the caller calls giveBack.
func (i *Interrupts) Lend() (giveBack func()) {
	if i == nil {
		return func() {}
	}
	i.lent.Store(true)
	return func() { time.AfterFunc(late, func() { i.lent.Store(false) }) }
}

// ReadInput reads a file named by a person, or the standard input for "-": up to most bytes, and one
// more if there are more.
func (a *App) ReadInput(ctx context.Context, name string, most int) ([]byte, error) {
	in, err := a.OpenInput(ctx, name)
	if err != nil {
		return nil, err
	}
	defer in.Close()
	return io.ReadAll(io.LimitReader(in, int64(most)+1))
}

// OpenInput opens a file named by a person, or the standard input for "-". The file need not be on a
// disk: a pipe can block both open and read, so an interruption waits for neither.
func (a *App) OpenInput(ctx context.Context, path string) (io.ReadCloser, error) {
	if path == "-" {
		return io.NopCloser(Interruptible{ctx, a.Env.Stdin}), nil
	}
	if info, err := os.Stat(path); err != nil || info.Mode().IsRegular() || info.IsDir() {
		return os.Open(path)
	}
	file, err := Await(ctx, func() (*os.File, error) { return os.Open(path) })
	if err != nil {
		return nil, err
	}
	return interruptibleFile{Interruptible{ctx, file}, file}, nil
}

// interruptibleFile is a file with interruptible reads.
type interruptibleFile struct {
	Interruptible
	io.Closer
}

// Interruptible reads a stream, and does not wait for it after an interruption.
type Interruptible struct {
	Ctx context.Context
	In  io.Reader
}

func (r Interruptible) Read(p []byte) (int, error) {
	text, err := Await(r.Ctx, func() ([]byte, error) {
		text := make([]byte, len(p))
		n, err := r.In.Read(text)
		return text[:n], err
	})
	return copy(p, text), err
}

// Await calls do, which may take forever, and goes on without it when the context ends.
func Await[T any](ctx context.Context, do func() (T, error)) (T, error) {
	type outcome struct {
		value T
		err   error
	}
	done := make(chan outcome, 1)
	go func() {
		value, err := do()
		done <- outcome{value, err}
	}()
	select {
	case got := <-done:
		return got.value, got.err
	case <-ctx.Done(): // the goroutine waits until the program ends
		var none T
		return none, ctx.Err()
	}
}
