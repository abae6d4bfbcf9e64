package doctor

import (
	"maps"
	"slices"
	"strings"

	"example.org/library/auth/claims"
	"example.org/library/terminal"
)

// Where providers put things that are not where the library looks by itself.
var (
	addressClaims  = []string{"preferred_username", "upn", "unique_name", "username"}
	audienceClaims = []string{"client_id", "azp", "cid", "appid"}
	roleClaims     = []string{"scope", "groups", "scp", "permissions"} // and every claim with role or group in its name
)

// otherAddress is a claim, not email, in which the token has what looks like an e-mail
// address, "" if there is none.
func (x *examination) otherAddress() string {
	for _, name := range addressClaims {
		if value := x.claims.All.Text(name); strings.Count(value, "@") == 1 && value != x.claims.Email {
			return name
		}
	}
	return ""
}

// otherAudience is a claim in which a token without aud names its client.
func (x *examination) otherAudience() (name, value string) {
	for _, name := range audienceClaims {
		if value := x.claims.All.Text(name); value != "" {
			return name, value
		}
	}
	return "", ""
}

// rolePlaces are the claims, and paths to claims, in which the token has something
// that can give roles.
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

// valuesAt shows what a claim has.
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

// elsewhere says where else than in the claim the token has something that can give
// roles, "" if nowhere.
func (x *examination) elsewhere(claim string) string {
	var found []string
	for _, name := range x.rolePlaces() {
		if name != claim {
			found = append(found, terminal.Clean(name)+" ("+x.valuesAt(name)+")")
		}
	}
	return strings.Join(found, "; ")
}
