package doctor

import (
	"context"
	"encoding/json"
	"io"
	"net/http"
	"slices"
	"strings"

	"example.org/library"
	"example.org/library/client"
)

// checkDirectory looks at the access of a directory of people (SCIM), which admins alone may see. A library
// without it is fine.
func (x *examination) checkDirectory(ctx context.Context) {
	if x.meErr != nil || !slices.Contains(x.me.Authorities, library.RoleAdmin.Authority()) {
		return
	}
	resp, err := x.client.Do(ctx, client.Call{Method: http.MethodGet, Path: "/scim/v2/ServiceProviderConfig"})
	if err != nil {
		return // the library has answered before
	}
	defer resp.Body.Close()
	var config struct {
		Schemes []struct{}                `json:"authenticationSchemes"`
		Meta    struct{ Location string } `json:"meta"`
	}
	body, _ := io.ReadAll(io.LimitReader(resp.Body, maxReply))
	if resp.StatusCode != http.StatusOK || json.Unmarshal(body, &config) != nil {
		return
	}
	const check = "SCIM"
	address := x.client.Address() + "/scim/v2"
	if seen := strings.TrimSuffix(config.Meta.Location, "/ServiceProviderConfig"); !strings.EqualFold(seen, address) {
		x.bad(check, "the library tells directories that it is at "+seen+", and is at "+address,
			"Start 'library serve' with the address that directories use as --public-api-url, such as --public-api-url "+x.client.Address()+".")
		return
	}
	how := "with access tokens of an admin alone"
	if len(config.Schemes) > 1 {
		how = "with access tokens of an admin, or with its secret"
	}
	x.ok(check, "a directory can keep people and groups up to date at "+address+", "+how)
}
