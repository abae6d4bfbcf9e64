package scim

const schemaOfSchemas = "urn:ietf:params:scim:schemas:core:2.0:Schema"

// MaxResults is the longest page of a list.
const MaxResults = 1000

// Schemas returns the schemas: exactly what is kept.
func Schemas(base string) []map[string]any {
	return []map[string]any{
		Users.schema(base, CoreUser, Users.name, Users.about, false),
		Users.schema(base, Enterprise, "EnterpriseUser", "The person in the organisation.", true),
		Groups.schema(base, CoreGroup, Groups.name, Groups.about, false),
	}
}

func (t *Type) schema(base, id, name, about string, extension bool) map[string]any {
	var attributes []map[string]any
	for _, a := range t.attributes {
		if a.extension == extension && !a.readOnly && a.name != "externalId" { // those are common to all resources
			attributes = append(attributes, a.describe())
		}
	}
	return map[string]any{
		"schemas": []string{schemaOfSchemas}, "id": id, "name": name, "description": about, "attributes": attributes,
		"meta": map[string]any{"resourceType": "Schema", "location": base + "/Schemas/" + id},
	}
}

// describe returns the definition of an attribute (RFC 7643, section 7).
func (a attribute) describe() map[string]any {
	out := map[string]any{
		"name": a.name, "type": a.kind, "multiValued": a.multi, "description": a.about, "required": a.required,
		"mutability": "readWrite", "returned": "default",
	}
	if a.fixed {
		out["mutability"] = "immutable"
	}
	if a.refers != nil {
		out["referenceTypes"] = a.refers
	}
	if a.kind == text || a.kind == reference {
		out["caseExact"], out["uniqueness"] = a.exact, "none"
		if a.unique {
			out["uniqueness"] = "server"
		}
	}
	if a.canonical != nil {
		out["canonicalValues"] = a.canonical
	}
	for _, sub := range a.subs {
		if !sub.hidden {
			subs, _ := out["subAttributes"].([]map[string]any)
			out["subAttributes"] = append(subs, sub.describe())
		}
	}
	return out
}

// ResourceTypes returns the types of resources.
func ResourceTypes(base string) []map[string]any {
	users, groups := Users.resourceType(base), Groups.resourceType(base)
	users["schemaExtensions"] = []map[string]any{{"schema": Enterprise, "required": false}}
	return []map[string]any{users, groups}
}

func (t *Type) resourceType(base string) map[string]any {
	return map[string]any{
		"schemas": []string{"urn:ietf:params:scim:schemas:core:2.0:ResourceType"}, "id": t.name, "name": t.name,
		"description": t.about, "endpoint": t.Path(), "schema": t.schemas[0],
		"meta": map[string]any{"resourceType": "ResourceType", "location": base + "/ResourceTypes/" + t.name},
	}
}

// Path returns the path of all resources of the type.
func (t *Type) Path() string { return "/" + t.name + "s" }

// ServiceProviderConfig returns what is supported, and whether directories have a secret.
func ServiceProviderConfig(base string, secret bool) map[string]any {
	scheme := func(name, about string) map[string]any {
		return map[string]any{"type": "oauthbearertoken", "name": name, "description": about, "specUri": "https://www.rfc-editor.org/info/rfc6750"}
	}
	schemes := []map[string]any{scheme("Bearer token", "An access token of an admin.")}
	if schemes[0]["primary"] = true; secret {
		schemes = append(schemes, scheme("Secret", "The secret of the directory, as a bearer token."))
	}
	supported := func(is bool) map[string]any { return map[string]any{"supported": is} }
	return map[string]any{
		"schemas": []string{"urn:ietf:params:scim:schemas:core:2.0:ServiceProviderConfig"},
		"patch":   supported(true), "etag": supported(true), "sort": supported(false), "changePassword": supported(false),
		"bulk":                  map[string]any{"supported": false, "maxOperations": 0, "maxPayloadSize": 0},
		"filter":                map[string]any{"supported": true, "maxResults": MaxResults},
		"authenticationSchemes": schemes,
		"meta":                  map[string]any{"resourceType": "ServiceProviderConfig", "location": base + "/ServiceProviderConfig"},
	}
}
