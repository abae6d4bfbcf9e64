//go:build unix

package sqlite

import (
	"fmt"
	"os"
	"sync"
	"sync/atomic"
	"syscall"
	"unsafe"
)

// walIndex is a look at the head of SQLite's wal-index, the file beside the
// database through whose memory all its users coordinate. The head changes with
// every commit, by whichever connection of whichever process; its format is part
// of SQLite's documented file formats. Comparing it takes nanoseconds, where
// a query of SQLite takes two locks of a file.
//
// It is only used to learn that nothing has changed. What has changed is read from
// SQLite.
type walIndex struct {
	path string
	file os.FileInfo
	head *[walHeadWords]uint64
}

const (
	walHeadSize  = 48 // the first copy of the header
	walHeadWords = walHeadSize / 8
)

// walHead is the head at one moment.
type walHead [walHeadWords]uint64

// walIndexes are all that were ever mapped, by file. Their descriptors are never
// closed: by the rules of POSIX, closing one would drop the locks that SQLite
// holds on the same file in this process.
var walIndexes struct {
	sync.Mutex
	all  []*walIndex
	open []*os.File
}

// openWALIndex maps the wal-index of a database. A connection must have read
// from the database before, and stay open for as long as the walIndex is used.
func openWALIndex(database string) (*walIndex, error) {
	path := database + "-shm"
	walIndexes.Lock()
	defer walIndexes.Unlock()
	info, err := os.Stat(path)
	if err != nil {
		return nil, fmt.Errorf("find the wal-index: %w", err)
	}
	for _, w := range walIndexes.all {
		if w.path == path && os.SameFile(w.file, info) {
			return w, nil
		}
	}
	if info.Size() < walHeadSize {
		return nil, fmt.Errorf("the wal-index has %d bytes", info.Size())
	}
	file, err := os.Open(path)
	if err != nil {
		return nil, fmt.Errorf("open the wal-index: %w", err)
	}
	walIndexes.open = append(walIndexes.open, file)
	page, err := syscall.Mmap(int(file.Fd()), 0, walHeadSize, syscall.PROT_READ, syscall.MAP_SHARED)
	if err != nil {
		return nil, fmt.Errorf("map the wal-index: %w", err)
	}
	w := &walIndex{path: path, file: info, head: (*[walHeadWords]uint64)(unsafe.Pointer(unsafe.SliceData(page)))}
	walIndexes.all = append(walIndexes.all, w)
	return w, nil
}

// read is the head now. A head that is being written while it is read differs from
// every earlier one, which is right: something is being committed.
func (w *walIndex) read() (h walHead) {
	for i := range h {
		h[i] = atomic.LoadUint64(&w.head[i])
	}
	return h
}

// current reports whether the file that is mapped is still the one in use.
func (w *walIndex) current() bool {
	info, err := os.Stat(w.path)
	return err == nil && os.SameFile(info, w.file)
}
