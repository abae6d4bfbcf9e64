package client

import (
	"time"

	"example.org/library/internal/testidp"
)

// For the examples, which see the package from outside.

// StartWorkshop starts a development identity provider and returns its issuer.
func StartWorkshop() (string, func()) {
	i := testidp.StartDev()
	return i.Issuer, i.Close
}

// BrowserOf is the browser of somebody who signs in and consents.
func BrowserOf(user, password string) func(address string) error {
	return newBrowser(user, password, "allow").open
}

// SetPause changes how long a call waits before it is made again.
func SetPause(c *Client, d time.Duration) { c.pause = d }

// SetTimeout changes how long a call may take.
func SetTimeout(c *Client, d time.Duration) { c.timeout = d }

// Passing are the codes after which a call is made again.
var Passing = passing
