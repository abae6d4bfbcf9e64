package auth

import (
	"encoding/json"
	"strings"
	"testing"
	"time"
)

func TestClaims(t *testing.T) {
	t.Parallel()
	raw := func(s string) json.RawMessage { return json.RawMessage(s) }
	now := testNow.Unix()
	b := newTestBearer(newProvider(jwks(ecSigner())))
	type change = map[string]any
	for name, tt := range map[string]struct {
		change change
		want   string
	}{
		"a good token": {nil, ""},

		"no exp":                           {change{"exp": nil}, "invalid_claim"},
		"exp null":                         {change{"exp": raw("null")}, "invalid_claim"},
		"exp a string":                     {change{"exp": "9999999999"}, "invalid_claim"},
		"exp a boolean":                    {change{"exp": true}, "invalid_claim"},
		"exp an array":                     {change{"exp": []int64{now + 60}}, "invalid_claim"},
		"exp beyond what a float holds":    {change{"exp": raw("1e400")}, "invalid_claim"},
		"exp huge":                         {change{"exp": raw("1e300")}, "invalid_claim"},
		"exp beyond 64 bits":               {change{"exp": raw("18446744073709551617")}, "invalid_claim"},
		"exp wrapping around 63 bits":      {change{"exp": raw("9223372036854775808")}, "invalid_claim"},
		"exp in the year 10000":            {change{"exp": raw("253402300800")}, "invalid_claim"},
		"exp in the year 9999":             {change{"exp": raw("253402300799")}, ""},
		"exp in milliseconds":              {change{"exp": (now + 60) * 1000}, "invalid_claim"},
		"exp negative":                     {change{"exp": -1}, "invalid_claim"},
		"exp zero":                         {change{"exp": 0}, "expired"},
		"exp tiny":                         {change{"exp": raw("1e-400")}, "expired"},
		"exp with a fraction":              {change{"exp": raw("1767323045.5")}, ""},
		"exp with an exponent":             {change{"exp": raw("1.767323046e9")}, ""},
		"exp now":                          {change{"exp": now}, "expired"},
		"exp a second ago":                 {change{"exp": now - 1}, "expired"},
		"exp in a second":                  {change{"exp": now + 1}, ""},
		"nbf now":                          {change{"nbf": now}, ""},
		"nbf in 5 seconds":                 {change{"nbf": now + 5}, ""},
		"nbf in 6 seconds":                 {change{"nbf": now + 6}, "not_yet_valid"},
		"nbf a string":                     {change{"nbf": "0"}, "invalid_claim"},
		"nbf null":                         {change{"nbf": raw("null")}, "invalid_claim"},
		"nbf overflowing":                  {change{"nbf": raw("-1e400")}, "invalid_claim"},
		"nbf zero":                         {change{"nbf": 0}, ""},
		"iat missing":                      {change{"iat": nil}, ""},
		"iat in 5 seconds":                 {change{"iat": now + 5}, ""},
		"iat in 6 seconds":                 {change{"iat": now + 6}, "not_yet_valid"},
		"iat a string":                     {change{"iat": "0"}, "invalid_claim"},
		"iat an object":                    {change{"iat": change{}}, "invalid_claim"},
		"no iss":                           {change{"iss": nil}, "wrong_issuer"},
		"iss with a slash more":            {change{"iss": testIssuer + "/"}, "wrong_issuer"},
		"iss in another case":              {change{"iss": strings.ToUpper(testIssuer)}, "wrong_issuer"},
		"iss an array":                     {change{"iss": []string{testIssuer}}, "wrong_issuer"},
		"iss null":                         {change{"iss": raw("null")}, "wrong_issuer"},
		"iss escaped, the same":            {change{"iss": raw(`"` + strings.ReplaceAll(testIssuer, "/", `\/`) + `"`)}, ""},
		"no aud":                           {change{"aud": nil}, "wrong_audience"},
		"aud a string":                     {change{"aud": testAudience}, ""},
		"aud another string":               {change{"aud": "account"}, "wrong_audience"},
		"aud a string with spaces":         {change{"aud": "account " + testAudience}, "wrong_audience"},
		"aud an empty array":               {change{"aud": []string{}}, "wrong_audience"},
		"aud an array without it":          {change{"aud": []string{"account", "library-service2"}}, "wrong_audience"},
		"aud an array with a number":       {change{"aud": []any{testAudience, 1}}, "wrong_audience"},
		"aud an array with null":           {change{"aud": []any{nil, testAudience}}, "wrong_audience"},
		"aud an array in an array":         {change{"aud": []any{[]string{testAudience}}}, "wrong_audience"},
		"aud a number":                     {change{"aud": 1}, "wrong_audience"},
		"aud an object":                    {change{"aud": change{testAudience: true}}, "wrong_audience"},
		"aud in another case":              {change{"aud": "Library-Service"}, "wrong_audience"},
		"no typ":                           {change{"typ": nil}, ""},
		"typ JWT":                          {change{"typ": "JWT"}, ""},
		"an ID token":                      {change{"typ": "ID"}, "wrong_token_type"},
		"a refresh token":                  {change{"typ": "Refresh"}, "wrong_token_type"},
		"an offline token":                 {change{"typ": "Offline"}, "wrong_token_type"},
		"a logout token":                   {change{"typ": "Logout"}, "wrong_token_type"},
		"a refresh token in capitals":      {change{"typ": "REFRESH"}, "wrong_token_type"},
		"a typ that is no string":          {change{"typ": []string{"ID"}}, "wrong_token_type"},
		"bound to a certificate":           {change{"cnf": change{"x5t#S256": "x"}}, "bound_token"},
		"bound to a DPoP key":              {change{"cnf": change{"jkt": "x"}}, "bound_token"},
		"bound to nothing":                 {change{"cnf": raw("null")}, "bound_token"},
		"no email":                         {change{"email": nil}, "unknown_user"},
		"email empty":                      {change{"email": ""}, "unknown_user"},
		"email null":                       {change{"email": raw("null")}, "unknown_user"},
		"email an array":                   {change{"email": []string{"bruce.wayne@example.com"}}, "unknown_user"},
		"email an object":                  {change{"email": change{"email": "bruce.wayne@example.com"}}, "unknown_user"},
		"email a number":                   {change{"email": 1}, "unknown_user"},
		"email not verified, not asked":    {change{"email_verified": false}, ""},
		"no scope":                         {change{"scope": nil}, ""},
		"expired, and everything else":     {change{"exp": now - 1, "iss": "x", "aud": "x", "email": nil}, "expired"},
		"a claim of many digits":           {change{"exp": raw("1767323046" + "." + strings.Repeat("0", 4000))}, ""},
		"an exp of thousands of digits":    {change{"exp": raw(strings.Repeat("9", 4000))}, "invalid_claim"},
		"exp minus zero":                   {change{"exp": raw("-0")}, "expired"},
		"nothing but what is needed":       {change{"iat": nil, "typ": nil, "scope": nil, "email_verified": nil}, ""},
		"unknown claims of every type":     {change{"a": raw(`[1,"x",null,{"b":true}]`)}, ""},
		"claims that name an alg or kid":   {change{"alg": "none", "kid": "x", "crit": []string{"x"}}, ""},
		"a kind and a wrong issuer":        {change{"typ": "ID", "iss": "x"}, "wrong_token_type"},
		"a wrong issuer and audience":      {change{"iss": "x", "aud": "x"}, "wrong_issuer"},
		"a wrong audience and no email":    {change{"aud": "x", "email": nil}, "wrong_audience"},
		"an e-mail address of odd letters": {change{"email": "\u212Aent@example.com"}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			mustTry(t, b, ecSigner().token(tt.change), tt.want)
		})
	}
}

func TestClockSkewWidensTheTimes(t *testing.T) {
	t.Parallel()
	now := testNow.Unix()
	for name, tt := range map[string]struct {
		skew   time.Duration
		change map[string]any
		want   string
	}{
		"exp, just inside":         {30 * time.Second, map[string]any{"exp": now - 29}, ""},
		"exp, just outside":        {30 * time.Second, map[string]any{"exp": now - 30}, "expired"},
		"nbf, just inside":         {30 * time.Second, map[string]any{"nbf": now + 30}, ""},
		"nbf, just outside":        {30 * time.Second, map[string]any{"nbf": now + 31}, "not_yet_valid"},
		"iat, just outside":        {30 * time.Second, map[string]any{"iat": now + 31}, "not_yet_valid"},
		"nbf, 5 s in any case":     {time.Second, map[string]any{"nbf": now + 5}, ""},
		"exp does not have the 5s": {time.Second, map[string]any{"exp": now - 1}, "expired"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := newTestBearer(newProvider(jwks(ecSigner())), func(c *Config) { c.ClockSkew = tt.skew })
			mustTry(t, b, ecSigner().token(tt.change), tt.want)
		})
	}
}

func TestAVerifiedEmailIsTheJSONValueTrue(t *testing.T) {
	t.Parallel()
	b := newTestBearer(newProvider(jwks(ecSigner())), func(c *Config) { c.RequireVerifiedEmail = true })
	for value, want := range map[string]string{
		"true": "", "false": "email_not_verified", `"true"`: "email_not_verified", "1": "email_not_verified", "null": "email_not_verified",
	} {
		mustTry(t, b, ecSigner().token(map[string]any{"email_verified": json.RawMessage(value)}), want)
	}
	mustTry(t, b, ecSigner().token(map[string]any{"email_verified": nil}), "email_not_verified")
}

func TestNothingOfATokenButItsExpiryIsEchoed(t *testing.T) {
	t.Parallel()
	const mark = "EVIL"
	s := ecSigner()
	b := newTestBearer(newProvider(jwks(s)))
	tokens := map[string]string{
		"garbage":   mark,
		"alg":       s.sign(s.header(map[string]any{"alg": mark}), claimSet(nil)),
		"typ":       s.sign(s.header(map[string]any{"typ": mark}), claimSet(nil)),
		"kid":       s.sign(s.header(map[string]any{"kid": mark}), claimSet(nil)),
		"crit":      s.sign(s.header(map[string]any{"crit": mark}), claimSet(nil)),
		"duplicate": s.sign(s.header(nil), `{"EVIL":1,"EVIL":2}`),
		"exp":       s.token(map[string]any{"exp": mark}),
		"iss":       s.token(map[string]any{"iss": mark}),
		"aud":       s.token(map[string]any{"aud": mark}),
		"kind":      s.token(map[string]any{"typ": []string{mark}}),
		"signature": s.token(nil) + encode(mark),
		"email":     s.token(map[string]any{"email": []string{mark}}),
	}
	for name, token := range tokens {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, err := b.Authenticate(requestWith("Bearer " + token))
			refusal, ok := err.(*Error)
			if !ok {
				t.Fatalf("got %v", err)
			}
			if strings.Contains(refusal.Message+refusal.Challenge+refusal.Code+refusal.Error(), mark) {
				t.Errorf("echoed: %+v", refusal)
			}
		})
	}
	_, err := b.Authenticate(requestWith("Bearer " + s.token(map[string]any{"exp": json.RawMessage("1767323044.9")})))
	if got, want := err.(*Error).Message, "Jwt expired at 2026-01-02T03:04:04Z"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}
