package devidp

import (
	"crypto"
	"encoding/base64"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/go-jose/go-jose/v4"

	"example.org/library/internal/testkit"
)

// kids are the names of the published keys, as a JOSE library reads them.
func (w *world) kids() []string {
	w.Helper()
	a := w.do(httptest.NewRequest(http.MethodGet, at(pathKeys), nil))
	var set jose.JSONWebKeySet
	if err := json.Unmarshal([]byte(a.text), &set); err != nil {
		w.Fatal(err)
	}
	var kids []string
	for _, k := range set.Keys {
		sum, err := k.Thumbprint(crypto.SHA256)
		if err != nil || base64.RawURLEncoding.EncodeToString(sum) != k.KeyID {
			w.Errorf("kid %s is not the thumbprint", k.KeyID)
		}
		if !k.IsPublic() || k.Use != "sig" || k.Algorithm != "RS256" || !k.Valid() {
			w.Errorf("key %+v", k)
		}
		kids = append(kids, k.KeyID)
	}
	return kids
}

func (w *world) signedBy() string {
	w.Helper()
	signed, err := jose.ParseSignedCompact(w.login("bwayne", "").str("access_token"), []jose.SignatureAlgorithm{jose.RS256})
	if err != nil {
		w.Fatal(err)
	}
	return signed.Signatures[0].Protected.KeyID
}

func TestNextKeyIsPublishedBeforeItIsUsedAndPreviousOneStays(t *testing.T) {
	t.Parallel()
	keys, err := OpenKeys("")
	testkit.NoError(t, err)
	w := newWorld(t, func(o *Options) { o.Keys = keys })
	before := w.kids()
	old := w.login("bwayne", "")
	if len(before) != 2 || w.signedBy() != before[0] {
		t.Fatalf("keys %v", before)
	}
	testkit.NoError(t, w.provider.Rotate())
	after := w.kids()
	if len(after) != 3 || w.signedBy() != before[1] || after[0] != before[1] || after[2] != before[0] || slices.Contains(before, after[1]) {
		t.Errorf("before %v, after %v, signed by %s", before, after, w.signedBy())
	}
	w.clock.Advance(tokenLifetime - time.Second)
	if !w.active(old.str("access_token")) || !slices.Contains(w.kids(), before[0]) {
		t.Error("a token has outlived its key")
	}
	w.clock.Advance(keyGrace)
	if kids := w.kids(); !slices.Equal(kids, after[:2]) {
		t.Errorf("the previous key is still there: %v", kids)
	}
}

func TestKeysRotatedTooOften(t *testing.T) {
	t.Parallel()
	ring := sharedKeys().snapshot()
	now := time.Unix(1e9, 0)
	for range maxRetired {
		ring.Previous = append(ring.Previous, retiredKey{ring.Current.Public(), now.Add(time.Minute)})
	}
	keys := &Keys{ring: ring}
	if err := keys.rotate(now); err == nil {
		t.Error("keys pile up without limit")
	}
	if err := keys.rotate(now.Add(time.Minute)); err != nil {
		t.Error(err)
	}
}

func TestKeyFile(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	path := filepath.Join(dir, "idp-keys.json")
	keys, err := OpenKeys(path)
	testkit.NoError(t, err)
	mode := func() os.FileMode {
		info, err := os.Stat(path)
		testkit.NoError(t, err)
		return info.Mode().Perm()
	}
	if mode() != 0o600 {
		t.Errorf("mode %o", mode())
	}
	now := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	testkit.NoError(t, keys.rotate(now))
	again, err := OpenKeys(path)
	testkit.NoError(t, err)
	if mode() != 0o600 {
		t.Errorf("mode after rotation %o", mode())
	}
	ids := func(k *Keys) []string {
		var ids []string
		for _, key := range k.snapshot().published(now).Keys {
			ids = append(ids, key.KeyID)
		}
		return ids
	}
	if !slices.Equal(ids(keys), ids(again)) || len(ids(again)) != 3 {
		t.Errorf("written %v, read %v", ids(keys), ids(again))
	}
	if names, err := os.ReadDir(dir); err != nil || len(names) != 1 {
		t.Errorf("left behind: %v %v", names, err)
	}
	text, err := os.ReadFile(path)
	testkit.NoError(t, err)
	testkit.Equal(t, strings.Count(string(text), `"d":`), 2, "private keys are kept")
	for _, open := range []os.FileMode{0o644, 0o640, 0o620, 0o601} {
		testkit.NoError(t, os.Chmod(path, open))
		if _, err := OpenKeys(path); err == nil || !strings.Contains(err.Error(), "can be used by others") {
			t.Errorf("mode %o: %v", open, err)
		}
	}
}

func TestUnusableKeyFilesAreNotOverwritten(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	for name, text := range map[string]string{"empty": "", "no JSON": "x", "no keys": "{}", "no JWK": `{"current":"x","next":"y"}`, "a public key": `{"current":{"kty":"RSA","n":"AQAB","e":"AQAB"},"next":{"kty":"RSA","n":"AQAB","e":"AQAB"}}`} {
		path := filepath.Join(dir, name)
		testkit.NoError(t, os.WriteFile(path, []byte(text), 0o600))
		if _, err := OpenKeys(path); err == nil {
			t.Errorf("%s: no error", name)
		}
		if data, err := os.ReadFile(path); err != nil || string(data) != text {
			t.Errorf("%s: overwritten", name)
		}
	}
	if _, err := OpenKeys(dir); err == nil {
		t.Error("a folder is no key file")
	}
	if _, err := OpenKeys(filepath.Join(dir, "no", "such", "folder")); err == nil {
		t.Error("no error without a folder")
	}
}

func TestRotationThatCannotBeWrittenChangesNothing(t *testing.T) {
	t.Parallel()
	keys := &Keys{path: filepath.Join(t.TempDir(), "gone", "keys"), ring: sharedKeys().snapshot()}
	before := keys.snapshot().Current.KeyID
	if err := keys.rotate(time.Now()); err == nil || keys.snapshot().Current.KeyID != before {
		t.Errorf("error %v, key changed: %v", err, keys.snapshot().Current.KeyID != before)
	}
}
