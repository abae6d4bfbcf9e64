package devidp

import (
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"
)

// deviceResponse is the answer of the device authorization endpoint (RFC 8628,
// section 3.2).
type deviceResponse struct {
	DeviceCode string `json:"device_code"`
	UserCode   string `json:"user_code"`
	Address    string `json:"verification_uri"`
	Complete   string `json:"verification_uri_complete"`
	ExpiresIn  int    `json:"expires_in"`
	Interval   int    `json:"interval"`
}

// deviceAuthorization begins a sign-in for a program that has no browser.
func (p *Provider) deviceAuthorization(r *http.Request) (any, error) {
	if p.foreignScript(r) {
		return nil, errForeign()
	}
	form, client, err := p.clientRequest(r)
	if err != nil {
		return nil, err
	}
	if !client.allows(grantDevice) {
		return nil, refuse("unauthorized_client", "The client may not use this grant type")
	}
	asked, refusal := parseScope(form.get("scope"))
	if refusal != nil {
		return nil, refusal
	}
	id, userCode, refusal := p.state.beginDevice(client.ID, addressOf(r), knownScopes(asked))
	if refusal != nil {
		p.log.Warn("device sign-in refused: too many are waiting", "client", client.ID, "address", addressOf(r))
		return nil, refusal
	}
	p.log.Info("device sign-in begun", "client", client.ID)
	shown := showUserCode(userCode)
	return deviceResponse{
		DeviceCode: p.seal.deviceCode(id, client.ID, p.now().Add(deviceLifetime)),
		UserCode:   shown,
		Address:    p.origin + pathDeviceShort,
		Complete:   p.origin + pathDeviceShort + "?" + url.Values{"user_code": {shown}}.Encode(),
		ExpiresIn:  int(deviceLifetime / time.Second),
		Interval:   int(deviceInterval / time.Second),
	}, nil
}

// deviceCode is sealed with its client and its expiry, so that an old code can be
// recognised without being remembered.
func (k seal) deviceCode(id, client string, expires time.Time) string {
	until := strconv.FormatInt(expires.Unix(), 10)
	return id + "." + until + "." + k.of("device code", id, until, client)
}

func (k seal) parseDeviceCode(code, client string) (id string, expires time.Time, ok bool) {
	id, rest, _ := strings.Cut(code, ".")
	until, mac, _ := strings.Cut(rest, ".")
	if !k.is(mac, "device code", id, until, client) {
		return "", time.Time{}, false
	}
	seconds, err := strconv.ParseInt(until, 10, 64)
	return id, time.Unix(seconds, 0), err == nil
}

// errBadDeviceCode is the same for a code that is made up, used or another's.
func errBadDeviceCode() *oauthError { return invalidGrant("The device code is unknown or used") }

// deviceGrant gives tokens for a device code once the person has agreed.
func (p *Provider) deviceGrant(r tokenRequest) (any, error) {
	text := r.form.get("device_code")
	if text == "" {
		return nil, errMissing("device_code")
	}
	id, expires, ok := p.seal.parseDeviceCode(text, r.client.ID)
	switch {
	case !ok:
		return nil, errBadDeviceCode()
	case !p.now().Before(expires):
		return nil, refuse("expired_token", "The device code has expired; begin again")
	}
	var who *account
	fam, refusal := p.state.pollDevice(id, func(d device) ([]string, *oauthError) {
		if who = r.directory.person(d.user); who == nil {
			return nil, errBadDeviceCode()
		}
		return grantedScopes(who, d.asked), nil
	})
	if refusal != nil {
		return nil, refusal
	}
	p.log.Info("tokens issued", "grant", "device_code", "client", r.client.ID, "user", who.username)
	return p.issue(r, who, fam, fam.granted, "")
}
