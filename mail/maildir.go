package mail

import (
	"bytes"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"example.org/library/internal/durable"
)

// maildir is a folder with a file for each mail: written in tmp, and moved to new when it is whole.
type maildir string

func (d maildir) Send(ctx context.Context, m Mail) error {
	if err := ctx.Err(); err != nil {
		return &Error{Stage: Connect, Err: err}
	}
	for _, name := range []string{"tmp", "new", "cur"} {
		if err := os.MkdirAll(filepath.Join(string(d), name), 0o700); err != nil {
			return &Error{Stage: Connect, Err: err}
		}
	}
	name := fmt.Sprintf("%d.%s.library", time.Now().Unix(), rand.Text())
	whole := filepath.Join(string(d), "tmp", name)
	err := writeSynced(whole, bytes.ReplaceAll(m.Bytes(), []byte("\r\n"), []byte("\n")))
	if err == nil {
		err = m.before()
	}
	if err == nil {
		err = os.Rename(whole, filepath.Join(string(d), "new", name))
	}
	if err != nil {
		return &Error{Stage: Data, Err: errors.Join(err, os.RemoveAll(whole))}
	}
	// The mail is there, but its name may be lost if the machine stops now, so a failure counts as one.
	if err := durable.SyncFolder(filepath.Join(string(d), "new")); err != nil {
		return &Error{Stage: Data, Seen: true, Err: err}
	}
	return nil
}

func (maildir) Close() {}

func writeSynced(path string, content []byte) error {
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	_, err = f.Write(content)
	return errors.Join(err, f.Sync(), f.Close())
}
