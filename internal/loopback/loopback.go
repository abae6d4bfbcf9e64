// Package loopback recognises the hosts of this machine. Nobody else can read clear text sent to them.
package loopback

import (
	"net/netip"
	"strings"
)

// Is reports whether a host is the name or an address of the loopback interface.
func Is(host string) bool {
	ip, err := netip.ParseAddr(host)
	return strings.EqualFold(host, "localhost") || err == nil && ip.Zone() == "" && ip.Unmap().IsLoopback()
}
