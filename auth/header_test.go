package auth

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"example.org/library/internal/testkit"
)

const malformedChallenge = `Bearer error="invalid_token", error_description="Bearer token is malformed", error_uri="https://tools.ietf.org/html/rfc6750#section-3.1"`

func TestTheAuthorizationFieldDecidesWhatIsAnswered(t *testing.T) {
	t.Parallel()
	token := ecSigner().token(nil)
	b := newTestBearer(newProvider(jwks(ecSigner())))
	for name, tt := range map[string]struct {
		fields []string
		query  string
		want   string // reason
	}{
		"no field":                              {nil, "", "missing_token"},
		"an empty field":                        {[]string{""}, "", "missing_token"},
		"another scheme":                        {[]string{"Basic YTpi"}, "", "missing_token"},
		"a scheme that only begins with Bearer": {[]string{"Bearerer " + token}, "", "missing_token"},
		"scheme and token run together":         {[]string{"Bearer" + token}, "", "missing_token"},
		"the token alone":                       {[]string{token}, "", "missing_token"},
		"a token in the query only":             {nil, "access_token=" + token, "missing_token"},
		"another scheme, a token in the query":  {[]string{"Basic YTpi"}, "access_token=" + token, "missing_token"},

		"a good token":                  {[]string{"Bearer " + token}, "", ""},
		"scheme in any case":            {[]string{"bEaReR " + token}, "", ""},
		"several spaces":                {[]string{"Bearer    " + token}, "", ""},
		"other parameters in the query": {[]string{"Bearer " + token}, "q=access_token&token=1&xaccess_token=2", ""},

		"the scheme alone":               {[]string{"Bearer"}, "", "malformed_token"},
		"the scheme and a space":         {[]string{"Bearer "}, "", "malformed_token"},
		"a tab for a space":              {[]string{"Bearer\t" + token}, "", "malformed_token"},
		"a space and a tab":              {[]string{"Bearer \t" + token}, "", "malformed_token"},
		"two tokens":                     {[]string{"Bearer " + token + " " + token}, "", "malformed_token"},
		"a comma and another credential": {[]string{"Bearer " + token + ", Bearer " + token}, "", "malformed_token"},
		"a token in quotes":              {[]string{`Bearer "` + token + `"`}, "", "malformed_token"},
		"a parameter":                    {[]string{"Bearer token=" + token}, "", "malformed_token"},
		"a colon after the scheme":       {[]string{"Bearer: " + token}, "", "malformed_token"},
		"16 KiB and one byte":            {[]string{"Bearer " + strings.Repeat("a", 16<<10+1)}, "", "malformed_token"},

		"two equal fields":                     {[]string{"Bearer " + token, "Bearer " + token}, "", "invalid_request"},
		"two fields, one empty":                {[]string{"", "Bearer " + token}, "", "invalid_request"},
		"two fields of two schemes":            {[]string{"Basic YTpi", "Bearer " + token}, "", "invalid_request"},
		"a token in the query too":             {[]string{"Bearer " + token}, "q=1&access_token=" + token, "invalid_request"},
		"an empty token in the query too":      {[]string{"Bearer " + token}, "access_token", "invalid_request"},
		"an escaped parameter name":            {[]string{"Bearer " + token}, "access%5Ftoken=x", "invalid_request"},
		"a semicolon between parameters":       {[]string{"Bearer " + token}, "q=1;access_token=x", "invalid_request"},
		"a bad token and one in the query":     {[]string{"Bearer x"}, "access_token=x", "invalid_request"},
		"the scheme alone, one in the query":   {[]string{"Bearer"}, "access_token=x", "invalid_request"},
		"a broken escape before the parameter": {[]string{"Bearer " + token}, "%zz=1&access_token=x", "invalid_request"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := requestWith(tt.fields...)
			r.URL.RawQuery = tt.query
			testkit.Equal(t, reasonOf(b.Authenticate(r)), tt.want)
		})
	}
}

func TestATokenInAFormIsNotLookedAt(t *testing.T) {
	t.Parallel()
	body := strings.NewReader("access_token=" + ecSigner().token(nil))
	r := httptest.NewRequest(http.MethodPost, "/library-server/books", body)
	r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	b := newTestBearer(newProvider(jwks(ecSigner())))
	testkit.Equal(t, reasonOf(b.Authenticate(r)), "missing_token")
	testkit.Equal(t, body.Len(), int(body.Size()), "what is left of the body")
}

func TestChallenges(t *testing.T) {
	t.Parallel()
	const uri = `, error_uri="https://tools.ietf.org/html/rfc6750#section-3.1"`
	tests := map[string]struct {
		err       *Error
		status    int
		message   string
		challenge string
	}{
		"no token":  {errMissingToken, 401, "A bearer token is required", "Bearer"},
		"malformed": {errMalformed, 401, "Bearer token is malformed", malformedChallenge},
		"bad signature": {errSignature, 401, "The token could not be verified: Invalid signature",
			`Bearer error="invalid_token", error_description="The token could not be verified: Invalid signature"` + uri},
		"expired": {errExpired(testNow), 401, "Jwt expired at 2026-01-02T03:04:05Z",
			`Bearer error="invalid_token", error_description="Jwt expired at 2026-01-02T03:04:05Z"` + uri},
		"wrong issuer": {errIssuer, 401, "The iss claim is not valid",
			`Bearer error="invalid_token", error_description="The iss claim is not valid"` + uri},
		"wrong audience": {errAudience("library-service"), 401, "The required audience 'library-service' is missing",
			`Bearer error="invalid_token", error_description="The required audience 'library-service' is missing"` + uri},
		"an audience that would break out of the quotes": {errAudience("a\"\\\r\nä"), 401, "The required audience 'a_____' is missing",
			`Bearer error="invalid_token", error_description="The required audience 'a_____' is missing"` + uri},
		"unknown user": {(&Bearer{}).UnknownUser(), 401, "Bad credentials",
			`Bearer error="invalid_token", error_description="No user found for the email claim"` + uri},
		"two fields": {errTwoFields, 400, "The request has more than one Authorization field",
			`Bearer error="invalid_request", error_description="The request has more than one Authorization field"` + uri},
		"no keys":                     {errNoKeys(0), 503, "The keys of the identity provider are not available", ""},
		"basic, whatever is wrong":    {errUnauthorized, 401, "Unauthorized", `Basic realm="library"`},
		"basic, nobody has the login": {(&Basic{}).UnknownUser(), 401, "Unauthorized", `Basic realm="library"`},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if tt.err.Status != tt.status || tt.err.Message != tt.message || tt.err.Challenge != tt.challenge {
				t.Errorf("got %d %q\n%s\nwant %d %q\n%s", tt.err.Status, tt.err.Message, tt.err.Challenge, tt.status, tt.message, tt.challenge)
			}
			if retry := tt.err.RetryAfter > 0; retry != (tt.status == 503) {
				t.Errorf("Retry-After %v with status %d", tt.err.RetryAfter, tt.status)
			}
		})
	}
}

func TestTheChallengeOfAMissingRoleNamesTheScope(t *testing.T) {
	t.Parallel()
	const want = `Bearer error="insufficient_scope", error_description="The request requires higher privileges than provided by the access token.", error_uri="https://tools.ietf.org/html/rfc6750#section-3.1", scope="library_admin"`
	testkit.Equal(t, (&Bearer{}).InsufficientScope("library_admin"), want)
	if got := (&Bearer{}).InsufficientScope(""); strings.Contains(got, "scope=") {
		t.Errorf("without a scope: got %s", got)
	}
	testkit.Equal(t, (&Basic{}).InsufficientScope("library_admin"), "", "basic")
}
