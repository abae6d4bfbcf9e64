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

// checkSignIn looks whether there is a token, and gets a fresh one.
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

// expectedAudience is what the library asks for unless --audience says otherwise.
const expectedAudience = "library-service"

// checkToken looks at the token from the outside.
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

// checkClaims looks at what the token says, as far as the library has to say
// nothing about it.
func (x *examination) checkClaims() {
	if len(x.keys) > 0 && x.claims.Key != "" && !slices.Contains(x.keys, x.claims.Key) {
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
			"Sign in with 'library login', if the library takes DPoP (--dpop). Otherwise the client "+x.clientID+" has to be registered without DPoP and without tokens bound to a certificate; sign in again afterwards.")
	}
	x.checkEmail()
}

// checkEmail looks at the address by which the library finds its users. If it has
// found one, that is the one, whatever the token says.
func (x *examination) checkEmail() {
	const check = "e-mail"
	email := x.claims.Email
	if x.asked && x.meErr == nil {
		email = x.me.Email
	}
	if refused, is := command.AsRefusal(x.meErr); is && refused.Code == command.CodeNoUserinfo {
		return // the library asks for it, and says itself what is wrong
	}
	switch verified := x.claims.EmailVerified; {
	case email == "":
		x.bad(check, "the token has no e-mail address, by which the library finds its users", x.addressAdvice())
	case x.claims.Email == "":
		x.ok(check, email+", which is not in the claim email of the token")
	case verified != nil && !*verified:
		x.ok(check, email+", not verified")
	default:
		x.ok(check, email)
	}
}

// addressAdvice is for a token without an address.
func (x *examination) addressAdvice() string {
	advice := "The client " + x.clientID + " needs the scope email at the identity provider."
	if other := x.otherAddress(); other != "" {
		advice += " Or the people who run the library take the address from the claim " + other + ", with --email-claim " + other + "."
	}
	return advice + " If its access tokens never have the address, the people who run the library let it ask the provider, with --userinfo on."
}

// askWhoIAm asks the library, which has the last word.
func (x *examination) askWhoIAm(ctx context.Context) {
	c, err := client.New(x.address, client.StaticSource(client.Token{Access: x.token, Key: x.key}))
	if err != nil {
		x.bad("library", err.Error(), "Check --server.")
		return
	}
	x.asked = true
	x.me, x.meErr = c.Me(ctx)
}

// checkMe says what the library has said.
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

// checkAudience looks whether the token is meant for the library. What the
// library has said decides, nil if it has refused nothing: it may have been
// started with another --audience.
func (x *examination) checkAudience(refused *client.Error) {
	const check = "audience"
	if _, readable := command.ReadClaims(x.token); !readable {
		return
	}
	audience := strings.Join(x.claims.Audience, ", ")
	requires, required := "usually requires ", expectedAudience
	switch {
	case refused != nil && refused.Code == command.CodeWrongAudience:
		requires, required = "requires ", cmp.Or(quoted(refused.Description), expectedAudience)
	case refused == nil || refused.Status != http.StatusUnauthorized || slices.Contains(x.claims.Audience, expectedAudience):
		_, client := x.otherAudience()
		x.ok(check, "the token is for "+cmp.Or(audience, client, nobody))
		return
	}
	x.bad(check, "the library "+requires+required+"; the token is for "+cmp.Or(audience, nobody),
		"The identity provider has to put "+required+" into the audience (aud) of the tokens for the client "+x.clientID+"; sign in again afterwards. "+
			"Or the people who run the library name the audience that its tokens have with --audience"+x.audienceAdvice())
}

// audienceAdvice is how the library takes a token that has no aud.
func (x *examination) audienceAdvice() string {
	name, value := x.otherAudience()
	if len(x.claims.Audience) > 0 || name == "" {
		return "."
	}
	return "; this token has none, but names its client in " + name + ": --audience-claim " + name + " --audience " + terminal.Clean(value) + "."
}

// nobody is said where a token names nothing.
const nobody = "nobody"

// quoted is what stands between the first two quotation marks, or "".
func quoted(text string) string {
	parts := strings.SplitN(text, "'", 3)
	if len(parts) < 3 {
		return ""
	}
	return parts[1]
}

const codeWrongKind = "wrong_token_type"

// adviceForCode says what to do about a token that was refused.
var adviceForCode = map[string]string{
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
	"malformed_token":         "Use the whole access token, as 'library token' prints it.",
}

// refused explains what the library said.
func (x *examination) refused(refused *client.Error) {
	const check = "library"
	switch {
	case refused.Code == command.CodeUnknownUser && x.claims.Email == "":
		x.bad("user", "without an e-mail address the library finds no user", "See e-mail.")
	case refused.Code == command.CodeUnknownUser:
		advice := "Ask an admin of the library to add you with 'library users add'."
		if other := x.otherAddress(); other != "" {
			advice += " If the library takes the address from another claim (--email-claim), such as " + other + ", it is that one which counts."
		}
		x.bad("user", "the library has no user with the e-mail address "+x.claims.Email, advice)
	case refused.Code == codeWrongKind && !x.claims.All.IsIDToken() && strings.Contains(refused.Description, "ID token"):
		x.bad(check, "refuses the token: "+refused.Description,
			"The library takes ID tokens alone (--tokens id): use the ID token of the client that its --audience names.")
	case refused.Status == http.StatusUnauthorized:
		advice := cmp.Or(adviceForCode[refused.Code], "Sign in again.")
		x.bad(check, "refuses the token: "+refused.Description, strings.ReplaceAll(advice, "%issuer", cmp.Or(x.claims.Issuer, nobody)))
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
