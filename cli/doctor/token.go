package doctor

import (
	"cmp"
	"context"
	"errors"
	"net/http"
	"slices"
	"strings"
	"time"

	"example.org/library/cli/command"
	"example.org/library/client"
	"example.org/library/terminal"
)

// checkSignIn checks whether there is a token, and gets a fresh one.
func (x *examination) checkSignIn(ctx context.Context) {
	const check = "sign-in"
	if x.token != "" {
		x.ok(check, "the token comes from LIBRARY_TOKEN")
		return
	}
	address, source, err := x.a.Source(ctx)
	if _, ok := errors.AsType[*command.NotSignedInError](err); ok {
		x.bad(check, "you are not signed in to "+x.address, "Run 'library login'.")
		return
	}
	var token client.Token
	if err == nil {
		token, err = source.Token(ctx)
	}
	switch {
	case errors.Is(err, client.ErrSessionEnded):
		x.bad(check, "your session has ended", "Run 'library login' to sign in again.")
	case err != nil:
		x.bad(check, strings.TrimSuffix(err.Error(), "."), "Run 'library login' when that is fixed.")
	case address != x.address: // cannot be; but a token is for one library alone
		x.bad(check, "you are signed in to another library than "+x.address, "Run 'library login'.")
	default:
		x.token, x.key = token.Access, token.Key
		x.ok(check, "you are signed in as the client "+x.clientID)
	}
}

// expectedAudience is required by the library unless --audience says otherwise.
const expectedAudience = "library-service"

// checkToken checks the form and the times of the token.
func (x *examination) checkToken() bool {
	const check = "token"
	claims, readable := command.ReadClaims(x.token)
	if !readable {
		x.bad(check, "the token is not a JWT: it cannot be read here, and not by the library either",
			"The identity provider has to give access tokens that are JWTs. If it never does, as Google, the people who run the library can take its ID tokens, with --tokens id.")
		return false
	}
	x.claims = claims
	switch left := time.Until(claims.Expiry); {
	case claims.Expiry.IsZero():
		x.bad(check, "the token does not say when it expires", "The identity provider has to say so in exp.")
	case left <= 0 && x.a.Token() != "":
		x.bad(check, "the token expired "+command.Duration(-left)+" ago", "Put a new one into LIBRARY_TOKEN, or unset it to use 'library login'.")
	case left <= 0:
		x.bad(check, "the token expired "+command.Duration(-left)+" ago", "Run 'library login' to sign in again.")
	case time.Until(claims.Begin) > mostDrift:
		x.bad(check, "the token is not valid yet: it says that it will be in "+command.Duration(time.Until(claims.Begin))+" (nbf)",
			"Use it then. If it should be valid now, the clock of the identity provider is ahead, or that of this machine behind: set the clocks, then get a new token.")
	case time.Until(claims.Issued) > mostDrift:
		x.bad(check, "the token says that it will be issued in "+command.Duration(time.Until(claims.Issued))+" (iat)",
			"The clock of the identity provider is ahead, or that of this machine behind: set the clocks, then get a new token.")
	default:
		x.ok(check, "good for "+command.Duration(left)+" (what it says is read here, but not verified)")
	}
	return true
}

// checkClaims checks the claims of the token, as far as the library has no say in them.
func (x *examination) checkClaims() {
	if !x.isTaken() && len(x.keys) > 0 && x.claims.Key != "" && !slices.Contains(x.keys, x.claims.Key) {
		x.bad("signature", "the token is signed with a key that the provider does not publish",
			"It is of another provider, or of before its keys changed: sign in again.")
	}
	switch iss := x.claims.Issuer; {
	case x.issuer == "" || iss == x.issuer:
	case strings.TrimRight(iss, "/") == strings.TrimRight(x.issuer, "/"):
		x.bad("token issuer", "the token says "+iss+", which differs from "+x.issuer+" by the slash at the end",
			"Both have to be the same, character for character: use "+iss+".")
	default:
		x.bad("token issuer", "the token is of "+cmp.Or(iss, nobody)+", not of "+x.issuer, "Sign in again, or name the right --issuer.")
	}
	if x.claims.Bound && x.key == nil {
		x.bad("bound", "the token is bound to a key (cnf), as DPoP or mutual TLS do, and the library takes bearer tokens alone",
			"Sign in with 'library login', if the library takes DPoP (--dpop). Otherwise the client "+x.holder()+" has to be registered without DPoP and without tokens bound to a certificate; sign in again afterwards.")
	}
	x.checkEmail()
}

// askWhoIAm asks the library about the caller: it has the last word.
func (x *examination) askWhoIAm(ctx context.Context) {
	c, err := client.New(x.address, client.StaticSource(client.Token{Access: x.token, Key: x.key}))
	if err != nil {
		x.bad("library", err.Error(), "Check --server.")
		return
	}
	x.asked, x.client = true, c
	x.me, x.meErr = c.Me(ctx)
}

func (x *examination) checkMe() {
	refused, is := command.AsRefusal(x.meErr)
	switch {
	case is:
		x.checkAudience(refused)
		x.refused(refused)
	case x.meErr != nil:
		x.bad("library", x.meErr.Error(), "Try again.")
	default:
		x.checkAudience(nil)
		name := ""
		if x.me.LibraryName != "" {
			name = x.me.LibraryName + " "
		}
		x.ok("library", name+"takes the token; you are "+command.FullName(x.me.User)+" ("+x.me.Email+")")
		x.checkRoles(x.me)
	}
}

// checkAudience checks whether the token is meant for the library. The library decides:
// it may have been started with another --audience. The refusal is nil if there is none.
func (x *examination) checkAudience(refused *client.Error) {
	const check = "audience"
	if _, readable := command.ReadClaims(x.token); !readable {
		return
	}
	audience := cmp.Or(strings.Join(x.claims.Audience, ", "), nobody)
	if _, holder := x.tokenClient(); holder != "" {
		audience += ", given to the client " + holder
	}
	if refused == nil || refused.Code != command.CodeWrongAudience {
		x.ok(check, "the token is for "+audience)
		return
	}
	required := cmp.Or(quoted(refused.Description), expectedAudience)
	x.bad(check, "the library requires "+required+"; the token is for "+audience,
		"The identity provider has to put "+required+" into the audience (aud) of the tokens for the client "+x.holder()+"; sign in again afterwards. "+
			"Or the people who run the library name the audience that its tokens have with --audience"+x.audienceAdvice())
}

// audienceAdvice returns the settings with which the library takes a token without aud.
func (x *examination) audienceAdvice() string {
	name, value := x.tokenClient()
	if len(x.claims.Audience) > 0 || name == "" {
		return "."
	}
	return "; this token has none, but names its client in " + name + ": --audience-claim " + name + " --audience " + terminal.Clean(value) + "."
}

// holder returns the client whose registration matters: the token names it, or the sign-in.
func (x *examination) holder() string {
	_, value := x.tokenClient()
	return terminal.Clean(cmp.Or(value, x.clientID))
}

// nobody is said where a token names nothing.
const nobody = "nobody"

// quoted returns the text between the first two quotation marks, or "".
func quoted(text string) string {
	parts := strings.SplitN(text, "'", 3)
	if len(parts) < 3 {
		return ""
	}
	return parts[1]
}

// Codes of refusals with more to explain than the advice.
const (
	codeWrongKind = "wrong_token_type"
	codeAlgorithm = "unsupported_algorithm"
)

// adviceForCode has the advice about a refused token, by the code of the refusal.
var adviceForCode = map[string]string{
	"session_ended":           "You were signed out at the identity provider. Run 'library login' to sign in again.",
	command.CodeWrongAudience: "See audience.",
	command.CodeWrongIssuer:   "The people who run the library have to start it with --issuer %issuer, exactly.",
	"expired":                 "Get a new token; if it is new, look at the clocks.",
	"not_yet_valid":           "See token and clock.",
	"email_not_verified":      "Confirm your e-mail address at the identity provider, then sign in again.",
	"unknown_key":             "The library may not reach the identity provider, or trust another one; its log says more.",
	"bad_signature":           "The token was changed or made up; sign in again.",
	codeWrongKind:             "Use the access token, not the ID or refresh token. Where the provider has no access tokens that can be read, the people who run the library start it with --tokens id.",
	"bound_token":             "See bound.",
	"dpop_required":           "The library takes only tokens that are bound to a key, with DPoP proofs; use a client that makes them.",
	"malformed_token":         "See token.",
	codeAlgorithm:             "The identity provider has to sign its tokens with a key pair, such as RS256 or ES256, and not with a secret (HS256); in Authentik choose a signing key for the provider. Sign in again afterwards.",
	"unsupported_header":      "The identity provider has to leave the extension (crit) out of its tokens.",
	"invalid_claim":           "The identity provider has to put the claim into its tokens, as the standard says.",
}

func (x *examination) refused(refused *client.Error) {
	const check = "library"
	switch {
	case refused.Code == command.CodeUnknownUser:
		x.unknownUser(refused)
	case refused.Code == codeWrongKind && !x.claims.All.IsIDToken() && strings.Contains(refused.Description, "ID token"):
		x.bad(check, "refuses the token: "+refused.Description,
			"The library takes ID tokens alone (--tokens id): use the ID token of the client that its --audience names.")
	case refused.Status == http.StatusUnauthorized:
		advice := cmp.Or(adviceForCode[refused.Code], "Sign in again.")
		text := "refuses the token: " + refused.Description
		if refused.Code == codeAlgorithm {
			text += " (" + x.claims.Algorithm + ")"
		}
		x.bad(check, text, strings.ReplaceAll(advice, "%issuer", cmp.Or(x.claims.Issuer, nobody)))
	case refused.Code == command.CodeKeysUnavailable:
		x.bad(check, "cannot check tokens now: it has no keys of the identity provider",
			"The people who run it have to see that it reaches the identity provider; its log says more.")
	case refused.Code == command.CodeNoUserinfo:
		x.bad(check, "cannot find out who you are: the token has no e-mail address, and the identity provider does not say it either (userinfo)",
			"The token may lack the scope openid or email. Otherwise the people who run the library have to see that it reaches the identity provider; its log says more.")
	case refused.Status == http.StatusNotFound:
		x.bad(check, "is not at this address", "Check the path of the address, such as /library-server.")
	case refused.FromProxy():
		x.bad(check, command.Sentence(refused.Message), downAdvice)
	case refused.RequestID == "":
		x.bad(check, command.Sentence(refused.Message), "Tell the people who run the library.")
	default:
		x.bad(check, command.Sentence(refused.Message), "Tell the people who run the library this request id: "+refused.RequestID)
	}
}
