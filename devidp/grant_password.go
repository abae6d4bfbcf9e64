package devidp

// passwordGrant gives tokens for a name and a password. It is for tests and
// for trying things out: it makes people type their password into a program
// that is not the provider.
func (p *Provider) passwordGrant(r tokenRequest) (any, error) {
	if p.foreignScript(r.http) {
		return nil, errForeign()
	}
	username, password := r.form.get("username"), r.form.get("password")
	if username == "" {
		return nil, errMissing("username")
	}
	if password == "" {
		return nil, errMissing("password")
	}
	asked, refusal := parseScope(r.form.get("scope"))
	if refusal != nil {
		return nil, refusal
	}
	who, wait := p.checkPassword(r.http, r.directory, username, password)
	if wait > 0 {
		return nil, tooManyFailures(wait)
	}
	if who == nil {
		return nil, invalidGrant("Invalid user credentials")
	}
	scopes := grantedScopes(who, asked)
	fam := p.state.startFamily(who.username, r.client.ID, knownScopes(asked), scopes)
	p.log.Info("tokens issued", "grant", grantPassword, "client", r.client.ID, "user", who.username)
	return p.issue(r, who, fam, scopes, "")
}
