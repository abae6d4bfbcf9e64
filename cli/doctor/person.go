package doctor

import (
	"cmp"
	"maps"
	"slices"
	"strings"

	"example.org/library"
	"example.org/library/api"
	"example.org/library/auth/claims"
	"example.org/library/cli/command"
	"example.org/library/client"
	"example.org/library/internal/validation"
	"example.org/library/terminal"
)

// isTaken reports whether the library has verified the token, whoever has it.
func (x *examination) isTaken() bool {
	refused, is := command.AsRefusal(x.meErr)
	return x.asked && (x.meErr == nil || is && refused.Code == command.CodeUnknownUser && missingClaim(refused) == "")
}

// missingClaim returns the claim without an e-mail address, as the library says, or "" if
// the library found one.
func missingClaim(refused *client.Error) string {
	for _, detail := range refused.Details {
		if refused.Code == command.CodeUnknownUser && detail.Code == string(validation.CodeRequired) {
			return terminal.Clean(detail.Field)
		}
	}
	return ""
}

// checkEmail checks the e-mail address, by which the library finds its users. The
// answer of the library counts, whatever is in the token.
func (x *examination) checkEmail() {
	const check = "e-mail"
	name, other := x.otherAddress()
	missing := ""
	if refused, is := command.AsRefusal(x.meErr); is {
		if refused.Code == command.CodeNoUserinfo {
			return // the library asks for it, and reports the problem itself
		}
		missing = missingClaim(refused)
	}
	switch verified := x.claims.EmailVerified; {
	case missing != "" && missing != usualAddress:
		x.bad(check, "the library takes e-mail addresses from the claim "+missing+", which the token does not have", x.addressAdvice(missing))
	case missing != "":
		x.bad(check, "the token has no e-mail address, by which the library finds its users", x.addressAdvice(missing))
	case x.asked && x.meErr == nil && x.claims.Email == "":
		x.ok(check, x.me.Email+", which is not in the claim email of the token")
	case x.asked && x.meErr == nil && x.me.Email != x.claims.Email:
		x.ok(check, x.me.Email)
	case x.claims.Email == "" && other != "":
		x.ok(check, other+", in the claim "+name+" of the token")
	case x.claims.Email == "" && x.isTaken():
		x.ok(check, "not in the token; the library asks the identity provider for it")
	case x.claims.Email == "":
		x.bad(check, "the token has no e-mail address, by which the library finds its users", x.addressAdvice(usualAddress))
	case verified != nil && !*verified:
		x.ok(check, x.claims.Email+", not verified")
	default:
		x.ok(check, x.claims.Email)
	}
}

// usualAddress is the claim of addresses unless --email-claim says otherwise.
const usualAddress = "email"

// addressAdvice returns the advice for a token without a claim for the address.
func (x *examination) addressAdvice(missing string) string {
	advice := "The identity provider has to put " + missing + " into the tokens of the client " + x.holder() + "."
	if missing == usualAddress {
		advice = "The client " + x.holder() + " needs the scope email at the identity provider."
	}
	if other, _ := x.otherAddress(); other != "" {
		advice += " Or the people who run the library take the address from the claim " + other + ", with --email-claim " + other + "."
	}
	return advice + " If its access tokens never have the address, the people who run the library let it ask the provider, with --userinfo on."
}

// unknownUser explains a good token of a person without an active record.
func (x *examination) unknownUser(refused *client.Error) {
	const check = "user"
	if missingClaim(refused) != "" {
		x.bad(check, "without an e-mail address the library finds no user", "See e-mail.")
		return
	}
	name, other := x.otherAddress()
	address := "your e-mail address"
	if known := cmp.Or(x.claims.Email, other); known != "" {
		address = "the e-mail address " + known
	}
	advice := "Ask an admin of the library to add you with 'library users add', or to switch you on with 'library users activate' if you are in the list already. " +
		"Where records belong to accounts (--bind-subject) and yours is a new one, 'library users unbind' helps."
	if x.claims.Email != "" && other != "" {
		advice += " If the library takes the address from another claim (--email-claim), such as " + name + ", it is that one which counts."
	}
	x.bad(check, "the library has no user with "+address+", or the user is switched off", advice+x.provisionAdvice())
}

// provisionAdvice says why a first login makes no record, as far as the token shows.
func (x *examination) provisionAdvice() string {
	var lacks []string
	_, other := x.otherAddress()
	if cmp.Or(x.claims.Email, other) != "" && !claims.PersonOf(x.claims.All).EmailVerified.Vouches() {
		lacks = append(lacks, "does not say that the address is verified (email_verified), unless --provision-unverified is set")
	}
	hasRole := slices.ContainsFunc(x.rolePlaces(), func(place string) bool {
		values, _ := x.claims.All.Values(place)
		return slices.ContainsFunc(values, isLibraryRole)
	})
	if !hasRole {
		lacks = append(lacks, "has no role: library_user, library_curator or library_admin, or a value that --role-map knows")
	}
	if len(lacks) == 0 {
		return ""
	}
	return " Where a first login adds people (--provision login), it adds nobody whose token " + strings.Join(lacks, ", and nobody whose token ") + "."
}

// checkRoles checks the roles of the person and, if there are none, finds out
// where the role got lost on its way.
func (x *examination) checkRoles(me api.Me) {
	const check = "roles"
	text, advice := "", ""
	switch roles := command.RolesOf(me.Authorities); {
	case len(roles) > 0 && command.RolesFrom(me) != "":
		x.ok(check, command.JoinRoles(roles)+"; they come from "+command.RolesFrom(me))
		return
	case len(roles) > 0:
		x.ok(check, command.JoinRoles(roles))
		return
	case me.RolesFrom == api.RolesFromRecord:
		text = "the library takes roles from its records, and yours has none"
		advice = "Ask an admin of the library for '" + command.GiveRole(me.User, string(library.RoleUser)) + "'. You need not sign in again."
	case me.RolesClaim != "":
		text, advice = x.lostInClaim(me)
	default:
		text, advice = x.lostRole(me)
	}
	x.bad(check, "none: "+text, advice)
}

// lostRole says why the library finds no role in a token.
func (x *examination) lostRole(me api.Me) (text, advice string) {
	const restart = "The people who run the library have to start it "
	inScope := slices.ContainsFunc(x.claims.Scope, isLibraryRole)
	inGroups := slices.ContainsFunc(x.claims.Groups, isLibraryRole)
	asPath := slices.ContainsFunc(x.claims.Groups, func(group string) bool {
		return strings.HasPrefix(group, "/") && isLibraryRole(group[strings.LastIndexByte(group, '/')+1:])
	})
	fromGroups := slices.ContainsFunc(x.claims.Groups, func(group string) bool {
		return slices.Contains(me.Authorities, "ROLE_"+strings.ToUpper(group))
	})
	const barePath = "The identity provider has to put the names of groups into the token without their path; sign in again afterwards."
	switch {
	case slices.ContainsFunc(me.Authorities, func(s string) bool { return strings.HasPrefix(s, "SCOPE_") }):
		return "the library takes no scope for a role", restart + "without --authorities plain."
	case asPath && fromGroups:
		return "the token has your role as the path of a group, with a slash, and the library takes names alone", barePath
	case asPath && !inScope:
		return "the token has your role as the path of a group, and the library does not look there", barePath + " " + restart + "with --authorities groups."
	case inScope:
		return "the token has your role as a scope, and the library looks at groups",
			restart + "with --authorities scope; or the identity provider has to put the role into the claim groups."
	case inGroups:
		return "the token has your role as a group, and the library does not look there", restart + "with --authorities groups."
	}
	anotherClaim := ""
	if other := x.elsewhere("scope"); other != "" {
		anotherClaim = " Or they name another claim with --authorities-claim, and say with --role-map what its values mean; the token has " + other + "."
	}
	if len(me.Roles) > 0 {
		return "the library knows your role, but takes it from the token, which has none",
			"Ask for library_user at the identity provider, then sign in again; or the people who run the library start it with --authorities local." + anotherClaim
	}
	advice = "Ask for library_user, library_curator or library_admin at the identity provider, then sign in again." +
		strings.Replace(anotherClaim, "they", "the people who run the library", 1)
	return "you can look at books, but not borrow any; the scopes of the token are " + cmp.Or(strings.Join(x.claims.Scope, " "), nobody), advice
}

// lostInClaim says why a claim named in a setting of the library gives no role.
func (x *examination) lostInClaim(me api.Me) (text, advice string) {
	claim, other := terminal.Clean(me.RolesClaim), x.elsewhere(me.RolesClaim)
	const again = "; sign in again afterwards."
	switch me.RolesMissing {
	case api.RolesMissingElsewhere:
		return "the token says that its claim " + claim + " has to be fetched elsewhere (_claim_names), as Microsoft Entra ID does for people in very many groups, and the library does not do that",
			"The identity provider has to put only the groups that are assigned to the application, or roles of the application, into its tokens" + again
	case api.RolesMissingUsable:
		return "the claim " + claim + " of the token is neither text, a list of texts nor an object",
			"The people who run the library have to name the right claim with --authorities-claim."
	case api.RolesMissingClaim:
		advice = "The identity provider has to put " + claim + " into the tokens of the client " + x.holder() + again
		if other != "" {
			advice += " Or the people who run the library name another claim with --authorities-claim; the token has " + other + "."
		}
		return "the library takes roles from the claim " + claim + ", which the token does not have", advice
	case api.RolesMissingMapped:
		values, _ := x.claims.All.Values(me.RolesClaim)
		return "the library's --role-map has none of the values of the claim " + claim + ": " + x.valuesAt(me.RolesClaim),
			"The people who run the library have to add one of them to --role-map, such as " + string(library.RoleUser) + "=" + encodeValue(values) + "; or the identity provider has to give you one that is there."
	}
	return "the values of the claim " + claim + " are not names of roles: " + cmp.Or(x.valuesAt(me.RolesClaim), nobody),
		"The people who run the library have to say with --role-map what they mean; or the identity provider has to give you library_user, library_curator or library_admin there."
}

// encodeValue returns the first of the values as written in a role map.
func encodeValue(values []string) string {
	if len(values) == 0 {
		return "…"
	}
	return terminal.Clean(claims.EncodeValue(values[0]))
}

func isLibraryRole(s string) bool {
	return slices.ContainsFunc(library.Roles, func(r library.Role) bool { return strings.EqualFold(s, string(r)) })
}

// Claims used by some providers in place of the library's defaults.
var (
	addressClaims  = []string{"preferred_username", "upn", "unique_name", "username"}
	audienceClaims = []string{"client_id", "azp", "cid", "appid"}
	roleClaims     = []string{"scope", "groups", "scp", "permissions"} // and every claim with role or group in its name
)

// otherAddress returns an e-mail address of the token from another claim than email,
// and the name of the claim; both are "" if there is none.
func (x *examination) otherAddress() (name, value string) {
	for _, name := range addressClaims {
		if value := x.claims.All.Text(name); strings.Count(value, "@") == 1 && value != x.claims.Email {
			return name, value
		}
	}
	return "", ""
}

// tokenClient returns the client of the token, and the claim naming it.
func (x *examination) tokenClient() (name, value string) {
	for _, name := range audienceClaims {
		if value := x.claims.All.Text(name); value != "" {
			return name, value
		}
	}
	return "", ""
}

// rolePlaces returns the claims of the token, and paths to claims, with values for possible roles.
func (x *examination) rolePlaces() []string {
	var places []string
	for _, name := range slices.Sorted(maps.Keys(x.claims.All)) {
		word := strings.ToLower(name)
		if slices.Contains(roleClaims, name) || strings.Contains(word, "role") || strings.Contains(word, "group") {
			places = append(places, name)
		}
		if strings.HasSuffix(word, "_access") { // of Keycloak
			places = append(places, name+".roles", name+"."+x.clientID+".roles", name+".library-service.roles")
		}
	}
	return slices.DeleteFunc(places, func(name string) bool {
		values, found := x.claims.All.Values(name)
		return found != claims.Found || len(values) == 0
	})
}

// valuesAt returns the values of a claim as text, shortened if there are many.
func (x *examination) valuesAt(name string) string {
	const most = 10
	values, _ := x.claims.All.Values(name)
	shown := values[:min(len(values), most)]
	text := terminal.Clean(strings.Join(shown, ", "))
	if len(values) > most {
		text += ", …"
	}
	return text
}

// elsewhere lists the other claims of the token with values for possible roles, ""
// if there are none.
func (x *examination) elsewhere(claim string) string {
	var found []string
	for _, name := range x.rolePlaces() {
		if name != claim {
			found = append(found, terminal.Clean(name)+" ("+x.valuesAt(name)+")")
		}
	}
	return strings.Join(found, "; ")
}
