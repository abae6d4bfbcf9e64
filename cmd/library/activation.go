package main

import (
	"fmt"
	"net"
	"os"
	"slices"
	"strconv"
	"strings"
)

// systemd may open the listeners for us and pass them on (socket activation,
// sd_listen_fds(3)). It keeps them open while we restart, so that those who come
// meanwhile wait instead of being refused.

// passedSockets are the files of sockets that were passed, by the names that
// their units give them.
type passedSockets map[string]int

// socketNames are the names that a socket unit can give (FileDescriptorName=).
var socketNames = []string{"api", "management", "web"}

// firstPassedFile is where the files that are passed begin.
const firstPassedFile = 3

// takePassedSockets reads what the service manager says about them. A socket
// that nobody would serve is refused: those who connect to it would wait for ever.
func takePassedSockets() (passedSockets, error) {
	if os.Getenv("LISTEN_PID") != strconv.Itoa(os.Getpid()) {
		return nil, nil // none were passed, or to our parent
	}
	names := strings.Split(os.Getenv("LISTEN_FDNAMES"), ":")
	if os.Getenv("LISTEN_FDS") != strconv.Itoa(len(names)) {
		return nil, fmt.Errorf("%s sockets were passed with the names %q", os.Getenv("LISTEN_FDS"), names)
	}
	sockets := make(passedSockets)
	for i, name := range names {
		if _, twice := sockets[name]; twice || !slices.Contains(socketNames, name) {
			return nil, fmt.Errorf("a socket with the name %q was passed; there can be one each of %s (FileDescriptorName= of its unit)", name, strings.Join(socketNames, ", "))
		}
		fd := firstPassedFile + i
		closeOnExec(fd) // programs that we start must not have it
		sockets[name] = fd
	}
	return sockets, nil
}

// listen takes the socket of that name, or binds the address if there is none.
func (s passedSockets) listen(name, flag, addr string) (net.Listener, error) {
	fd, passed := s[name]
	if !passed {
		return listen(flag, addr)
	}
	delete(s, name)
	file := os.NewFile(uintptr(fd), name)
	defer file.Close()
	l, err := net.FileListener(file)
	if err != nil {
		return nil, fmt.Errorf("the socket %q that was passed cannot be used: %w", name, err)
	}
	return l, nil
}

// unserved is an error if a socket is left.
func (s passedSockets) unserved() error {
	for name := range s {
		return fmt.Errorf("a socket with the name %q was passed, but nothing is served there", name)
	}
	return nil
}

// notifyManager notifies the service manager of our state (sd_notify(3)), if there is
// one. It never answers.
func notifyManager(state string) {
	address := os.Getenv("NOTIFY_SOCKET")
	if address == "" {
		return
	}
	conn, err := net.Dial("unixgram", address)
	if err != nil {
		return
	}
	defer conn.Close()
	conn.Write([]byte(state))
}
