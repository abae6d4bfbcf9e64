package httpapi_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/google/go-cmp/cmp"
	"github.com/santhosh-tekuri/jsonschema/v6"

	"example.org/library"
	"example.org/library/api"
	"example.org/library/httpapi"
	"example.org/library/internal/testkit"
)

// contract is api/openapi.yaml, ready to hold answers against.
type contract struct {
	doc     *openapi3.T
	mu      sync.Mutex
	schemas map[string]*jsonschema.Schema // by their JSON
}

var theContract = sync.OnceValues(func() (*contract, error) {
	doc, err := openapi3.NewLoader().LoadFromData(api.OpenAPI)
	return &contract{doc: doc, schemas: map[string]*jsonschema.Schema{}}, err
})

const contractURL = "contract.json"

// schema compiles a schema of the contract, once.
func (c *contract) schema(ref *openapi3.SchemaRef) (*jsonschema.Schema, error) {
	text, err := json.Marshal(ref)
	if err != nil {
		return nil, err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if known := c.schemas[string(text)]; known != nil {
		return known, nil
	}
	whole, err := json.Marshal(c.doc)
	if err != nil {
		return nil, err
	}
	compiler := jsonschema.NewCompiler()
	compiler.AssertFormat()
	part := strings.ReplaceAll(string(text), `"#/`, `"`+contractURL+`#/`)
	for address, content := range map[string]string{contractURL: string(whole), "part.json": part} {
		document, err := jsonschema.UnmarshalJSON(strings.NewReader(content))
		if err != nil {
			return nil, err
		}
		if err := compiler.AddResource(address, document); err != nil {
			return nil, err
		}
	}
	compiled, err := compiler.Compile("part.json")
	if err == nil {
		c.schemas[string(text)] = compiled
	}
	return compiled, err
}

func (c *contract) validate(ref *openapi3.SchemaRef, value any) error {
	schema, err := c.schema(ref)
	if err != nil {
		return err
	}
	return schema.Validate(value)
}

// response finds what the contract says about an answer. Answers that belong
// to no operation are among the components.
func (c *contract) response(method, path string, status int) (*openapi3.Response, error) {
	if method == http.MethodHead {
		method = http.MethodGet
	}
	for pattern, item := range c.doc.Paths.Map() {
		if !matches(pattern, path) || pattern != path && c.doc.Paths.Value(path) != nil {
			continue // a path without a parameter comes first
		}
		if operation := item.GetOperation(method); operation != nil {
			if declared := operation.Responses.Status(status); declared != nil {
				return declared.Value, nil
			}
			return nil, fmt.Errorf("%s %s does not declare status %d", method, pattern, status)
		}
	}
	general := map[int]string{
		400: "BadRequest", 401: "Unauthorized", 403: "Forbidden", 404: "NotFound",
		405: "MethodNotAllowed", 500: "InternalError", 503: "Unavailable",
	}
	if declared := c.doc.Components.Responses[general[status]]; declared != nil {
		return declared.Value, nil
	}
	return nil, fmt.Errorf("status %d is not declared for what is no operation", status)
}

// matches reports whether a path fits a pattern with {id} or {code} in it.
func matches(pattern, path string) bool {
	want, got := strings.Split(pattern, "/"), strings.Split(path, "/")
	return slices.EqualFunc(want, got, func(w, g string) bool { return w == g || strings.HasPrefix(w, "{") && g != "" })
}

// checkContract holds an answer against openapi.yaml and against the rules for
// all answers. Every answer that a test of this package gets goes through it.
func (w *world) checkContract(t testing.TB, req *http.Request, uri string, a reply) {
	t.Helper()
	for _, complaint := range w.complaints(req, uri, a) {
		t.Errorf("%s %.200s: %d: %s", req.Method, uri, a.status, complaint)
	}
}

func (w *world) complaints(req *http.Request, uri string, a reply) []string {
	path, _, _ := strings.Cut(uri, "?")
	out := w.generalComplaints(path, a)
	if isPreflight(req) && a.status == http.StatusOK {
		if len(a.body) > 0 {
			out = append(out, "a preflight with a body")
		}
		return out
	}
	c, err := theContract()
	if err != nil {
		return append(out, err.Error())
	}
	decoded, err := url.PathUnescape(path)
	if err != nil {
		decoded = path // no path at all, such as the host and port of CONNECT
	}
	under, ok := strings.CutPrefix(decoded, w.base)
	if !ok {
		under = ""
	}
	declared, err := c.response(req.Method, under, a.status)
	if err != nil {
		return append(out, err.Error())
	}
	out = append(out, c.headerComplaints(declared, a)...)
	return append(out, c.bodyComplaints(declared, req.Method, a)...)
}

func isPreflight(req *http.Request) bool {
	return req.Method == http.MethodOptions && req.Header.Get("Origin") != "" && req.Header.Get("Access-Control-Request-Method") != ""
}

// everywhere are the headers that need no declaration at each response.
var everywhere = []string{
	"Date", "Connection", "Content-Type", "Content-Length", "Cache-Control", "Vary",
	"X-Content-Type-Options", "X-Frame-Options", "Strict-Transport-Security",
	"Access-Control-Allow-Origin", "Access-Control-Allow-Credentials", "Access-Control-Expose-Headers", "Dpop-Nonce",
}

func (c *contract) headerComplaints(declared *openapi3.Response, a reply) (out []string) {
	known := map[string]bool{}
	for name, ref := range declared.Headers {
		name = http.CanonicalHeaderKey(name)
		known[name] = true
		values, header := a.header[name], ref.Value
		switch {
		case len(values) == 0 && header.Required:
			out = append(out, name+" is missing")
		case len(values) > 1:
			out = append(out, name+" is there more than once")
		case len(values) == 1:
			if err := c.validate(header.Schema, headerValue(header, values[0])); err != nil {
				out = append(out, fmt.Sprintf("%s: %v", name, err))
			}
		}
	}
	for name := range a.header {
		if !known[name] && !slices.Contains(everywhere, name) {
			out = append(out, name+" is not declared")
		}
	}
	return out
}

func headerValue(header *openapi3.Header, text string) any {
	if header.Schema.Value.Type.Is("integer") {
		if n, err := strconv.Atoi(text); err == nil {
			return n
		}
	}
	return text
}

func (c *contract) bodyComplaints(declared *openapi3.Response, method string, a reply) []string {
	kind := a.header.Get("Content-Type")
	if len(declared.Content) == 0 {
		if len(a.body) > 0 || kind != "" {
			return []string{"there should be neither body nor Content-Type"}
		}
		return nil
	}
	media := declared.Content[kind]
	if media == nil {
		return []string{fmt.Sprintf("Content-Type %q is not declared", kind)}
	}
	if method == http.MethodHead {
		if len(a.body) > 0 {
			return []string{"HEAD with a body"}
		}
		return nil
	}
	if kind != "application/json" {
		return nil
	}
	value, err := jsonschema.UnmarshalJSON(bytes.NewReader(a.body))
	if err != nil {
		return []string{fmt.Sprintf("the body is not JSON: %v", err)}
	}
	if err := c.validate(media.Schema, value); err != nil {
		return []string{err.Error()}
	}
	if hasNull(value) {
		return []string{"there is a null in the body"}
	}
	return nil
}

func hasNull(value any) bool {
	switch v := value.(type) {
	case nil:
		return true
	case []any:
		return slices.ContainsFunc(v, hasNull)
	case map[string]any:
		return slices.ContainsFunc(slices.Collect(maps.Values(v)), hasNull)
	}
	return false
}

// generalComplaints checks what holds for every answer, whatever it is.
func (w *world) generalComplaints(path string, a reply) (out []string) {
	complain := func(format string, args ...any) { out = append(out, fmt.Sprintf(format, args...)) }
	cache := "no-store"
	if a.tag() != "" {
		cache = "private, no-cache"
	}
	isForever := strings.HasSuffix(path, "/cover") && strings.Contains(a.header.Get("Cache-Control"), "immutable")
	if isForever { // with the version in its address
		cache = "private, max-age=31536000, immutable"
	}
	want := map[string]string{"X-Content-Type-Options": "nosniff", "X-Frame-Options": "DENY", "Cache-Control": cache}
	if w.tls {
		want["Strict-Transport-Security"] = "max-age=31536000"
	} else if a.header["Strict-Transport-Security"] != nil {
		complain("Strict-Transport-Security over plain HTTP")
	}
	for name, value := range want {
		if got := a.header[name]; !slices.Equal(got, []string{value}) {
			complain("%s is %q, want %q", name, got, value)
		}
	}
	if vary := a.header.Get("Vary"); !strings.Contains(vary, "Origin") || strings.Contains(vary, "Authorization") == isForever {
		complain("Vary is %q", vary)
	}
	if a.header["Set-Cookie"] != nil {
		complain("there is a cookie")
	}
	if id := a.header["X-Request-Id"]; len(id) != 1 || id[0] == "" {
		complain("X-Request-Id is %q", id)
	}
	if addressLeaks(path, w.base, a) {
		complain("there is an e-mail address where it does not belong: %.300s", a.body)
	}
	if a.status >= 400 && len(a.body) > 0 {
		out = append(out, errorComplaints(path, a)...)
	}
	return out
}

// addressLeaks reports whether an answer shows an e-mail address to others than
// admins and the user itself.
func addressLeaks(path, base string, a reply) bool {
	for _, values := range a.header {
		if strings.Contains(strings.Join(values, " "), "@example.com") {
			return true
		}
	}
	path = strings.TrimPrefix(path, base)
	own := a.status < 300 && (path == "/me" || path == "/me/export" || path == "/exports/users" || path == "/users" || strings.HasPrefix(path, "/users/") || path == "/openapi.yaml")
	return !own && bytes.Contains(a.body, []byte("@example.com"))
}

func errorComplaints(path string, a reply) (out []string) {
	var members map[string]any
	if err := json.Unmarshal(a.body, &members); err != nil {
		return []string{fmt.Sprintf("the error is no JSON object: %v", err)}
	}
	delete(members, "details")
	delete(members, "rule") // where one decided
	if path == basePath+"/returns" {
		delete(members, "candidates")
	}
	want := []string{"code", "error", "message", "path", "requestId", "status", "timestamp"}
	if got := slices.Sorted(maps.Keys(members)); !slices.Equal(got, want) {
		out = append(out, fmt.Sprintf("the error has the members %q, want %q", got, want))
	}
	e := a.error()
	if e.Status != a.status || e.Error != http.StatusText(a.status) {
		out = append(out, fmt.Sprintf("the error says %d %q", e.Status, e.Error))
	}
	if e.RequestID != a.header.Get("X-Request-Id") {
		out = append(out, fmt.Sprintf("requestId is %q, X-Request-Id is %q", e.RequestID, a.header.Get("X-Request-Id")))
	}
	if path = string([]rune(path)); e.Path != path { // JSON has no word for a broken byte
		out = append(out, fmt.Sprintf("path is %q, want %q", e.Path, path))
	}
	return out
}

func TestContractAndRoutesNameTheSameOperations(t *testing.T) {
	t.Parallel()
	c, err := theContract()
	testkit.NoError(t, err)
	inContract, inServer := map[string]string{}, map[string]string{}
	for path, item := range c.doc.Paths.Map() {
		for method, operation := range item.Operations() {
			inContract[method+" "+path] = scopeOf(operation)
		}
	}
	for _, r := range httpapi.Routes() {
		scope := r.Permission.Role().Scope()
		if r.Permission == library.Oversee {
			scope = "library_curator or library_admin"
		}
		inServer[r.Method+" "+r.Pattern] = scope
	}
	if diff := cmp.Diff(inServer, inContract); diff != "" {
		t.Errorf("operations and the scopes they need (-server +contract)\n%s", diff)
	}
}

// scopeOf returns the scopes of which an operation needs one, the same in both
// schemes.
func scopeOf(operation *openapi3.Operation) string {
	var needed []string
	for _, requirement := range *operation.Security {
		for _, scopes := range requirement {
			if scope := strings.Join(scopes, " "); !slices.Contains(needed, scope) {
				needed = append(needed, scope)
			}
		}
	}
	return strings.Join(needed, " or ")
}
