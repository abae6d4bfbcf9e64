package mail

import (
	"bufio"
	"crypto/tls"
	"encoding/base64"
	"errors"
	"net"
	"net/textproto"
	"strings"
	"sync/atomic"
	"time"
)

// dialogue is a connection to a mail server: commands and their answers, each with its stage and its time limit. The
// standard library's net/smtp has neither, and asks for SMTPUTF8 whenever it is offered.
type dialogue struct {
	raw        net.Conn // beneath TLS
	conn       net.Conn
	in         *bufio.Reader
	limit      time.Duration // for a command
	extensions map[string]string
	given      atomic.Bool // the server has got the whole of a mail, and has not answered yet
}

// The bounds of an answer, so no server can fill the memory.
const (
	maxReplyLine  = 4096 // bytes
	maxReplyLines = 100
)

func newDialogue(conn net.Conn, limit time.Duration) *dialogue {
	return &dialogue{raw: conn, conn: conn, in: bufio.NewReaderSize(conn, maxReplyLine), limit: limit}
}

var errProtocol = errors.New("the answer is not one of SMTP")

// reply reads an answer and returns its number, and its lines without the number.
func (d *dialogue) reply() (code int, lines []string, err error) {
	for range maxReplyLines {
		bytes, err := d.in.ReadSlice('\n') // of maxReplyLine bytes at most
		if err != nil {
			return 0, nil, err
		}
		line := strings.TrimRight(string(bytes), "\r\n")
		number, more, good := replyLine(line)
		if !good || code != 0 && number != code {
			return 0, nil, errProtocol
		}
		code, lines = number, append(lines, line[min(4, len(line)):])
		if !more {
			return code, lines, nil
		}
	}
	return 0, nil, errProtocol
}

// replyLine reads the beginning of a line of an answer: three digits, and "-" if more lines follow.
func replyLine(line string) (code int, more, good bool) {
	if len(line) < 3 || len(line) > 3 && line[3] != ' ' && line[3] != '-' {
		return 0, false, false
	}
	for _, c := range []byte(line[:3]) {
		if c < '0' || c > '9' {
			return 0, false, false
		}
		code = code*10 + int(c-'0')
	}
	return code, len(line) > 3 && line[3] == '-', code >= 200 && code < 600
}

// answer reads an answer and returns an error unless it is of the expected kind: the first digit tells the kind.
func (d *dialogue) answer(stage Stage, expected int) ([]string, error) {
	code, lines, err := d.reply()
	switch {
	case err != nil:
		return nil, &Error{Stage: stage, Err: err}
	case code/100 == expected/100:
		return lines, nil
	case code < 400:
		return nil, &Error{Stage: stage, Err: errProtocol}
	}
	return nil, &Error{Stage: stage, Code: code, Final: code >= 500 && (stage == To || stage == Data)}
}

func (d *dialogue) command(stage Stage, expected int, line string) ([]string, error) {
	_ = d.raw.SetDeadline(time.Now().Add(d.limit))
	if _, err := d.conn.Write([]byte(line + "\r\n")); err != nil {
		return nil, &Error{Stage: stage, Err: err}
	}
	return d.answer(stage, expected)
}

func (d *dialogue) greeting() error {
	_, err := d.answer(Connect, 220)
	return err
}

// hello introduces this machine, and stores the extensions of the server.
func (d *dialogue) hello() error {
	lines, err := d.command(Connect, 250, "EHLO "+ownName(d.raw.LocalAddr()))
	d.extensions = map[string]string{}
	if failed := (*Error)(nil); errors.As(err, &failed) && (failed.Code == 500 || failed.Code == 502) {
		_, err = d.command(Connect, 250, "HELO "+ownName(d.raw.LocalAddr())) // a server of long ago
		return err
	}
	for i, line := range lines {
		if name, parameters, _ := strings.Cut(line, " "); i > 0 {
			d.extensions[strings.ToUpper(name)] = parameters
		}
	}
	return err
}

// secure begins TLS. It fails if unread clear text is left: somebody else may have sent it.
func (d *dialogue) secure(config *tls.Config) error {
	if d.in.Buffered() > 0 {
		return errProtocol
	}
	conn := tls.Client(d.raw, config)
	if err := conn.Handshake(); err != nil {
		return err
	}
	d.conn, d.in = conn, bufio.NewReaderSize(conn, maxReplyLine)
	return nil
}

// deliver sends one mail.
func (d *dialogue) deliver(m Mail) error {
	parameters, err := d.parameters(m)
	if err != nil {
		return err
	}
	if _, err := d.command(From, 250, "MAIL FROM:<"+noSpace(m.From.Address)+">"+parameters); err != nil {
		return err
	}
	if _, err := d.command(To, 250, "RCPT TO:<"+noSpace(m.To.Address)+">"); err != nil {
		return err
	}
	if _, err := d.command(Data, 354, "DATA"); err != nil {
		return err
	}
	return d.content(m)
}

// content sends the mail itself. The server has it after getting the end, and may have it if its answer is missing.
func (d *dialogue) content(m Mail) error {
	_ = d.raw.SetDeadline(time.Now().Add(d.limit))
	buffered := bufio.NewWriter(d.conn)
	w := textproto.NewWriter(buffered).DotWriter()
	_, err := w.Write(m.Bytes())
	if err = errors.Join(err, buffered.Flush()); err != nil {
		return &Error{Stage: Data, Err: err}
	}
	if err := m.before(); err != nil {
		return &Error{Stage: Data, Err: err}
	}
	_ = d.raw.SetDeadline(time.Now().Add(d.limit))
	d.given.Store(true)
	defer d.given.Store(false)
	if err := w.Close(); err != nil {
		return &Error{Stage: Data, Err: err} // an end not written whole is no end of a mail
	}
	_, err = d.answer(Data, 250)
	if failed := (*Error)(nil); errors.As(err, &failed) {
		failed.Seen = failed.Code == 0
	}
	return err
}

// lastAnswer is how long a server may still take to answer for a whole mail when the sender stops.
const lastAnswer = 3 * time.Second

// interrupt ends the connection. A server with the whole of a mail may answer first.
func (d *dialogue) interrupt() {
	if d.given.Load() {
		_ = d.raw.SetDeadline(time.Now().Add(lastAnswer))
		return
	}
	d.end()
}

// parameters returns the parameters of MAIL FROM. It asks for SMTPUTF8 only if an address needs it: the server may pass
// the mail on to one without SMTPUTF8.
func (d *dialogue) parameters(m Mail) (string, error) {
	if noSpace(m.To.Address) != m.To.Address { // without the characters, it would be somebody else's
		return "", &Error{Stage: To, Final: true, Err: ErrNoAddress}
	}
	if isASCII(m.From.Address) && isASCII(m.To.Address) {
		return "", nil
	}
	if _, offered := d.extensions["SMTPUTF8"]; offered {
		return " BODY=8BITMIME SMTPUTF8", nil // RFC 6531: a server with SMTPUTF8 has 8BITMIME, too
	}
	if !isASCII(m.From.Address) {
		return "", &Error{Stage: From, Err: ErrNeedsSMTPUTF8}
	}
	return "", &Error{Stage: To, Final: true, Err: ErrNeedsSMTPUTF8}
}

// reset prepares the connection for the next mail after a failure. It reports whether the connection is still good.
func (d *dialogue) reset(err error) bool {
	failed := (*Error)(nil)
	if !errors.As(err, &failed) || failed.Code == 421 || failed.Code == 0 && !errors.Is(err, ErrNeedsSMTPUTF8) && !errors.Is(err, ErrNoAddress) {
		return false
	}
	_, err = d.command(From, 250, "RSET")
	return err == nil
}

func (d *dialogue) quit(limit time.Duration) {
	d.limit = limit
	_, _ = d.command(Data, 221, "QUIT")
	d.end()
}

func (d *dialogue) end() { _ = d.raw.Close() }

func base64Of(s string) string { return base64.StdEncoding.EncodeToString([]byte(s)) }
