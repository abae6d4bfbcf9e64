package auth

import (
	"path/filepath"
	"strings"
	"testing"
)

func TestAFaultInThePasswordFileNamesItsLine(t *testing.T) {
	t.Parallel()
	const hash = "$2b$10$abcdefghijklmnopqrstuuABCDEFGHIJKLMNOPQRSTUVWXYZ01234"
	for name, tt := range map[string]struct{ content, want string }{
		"good":                        {"a@example.com:" + hash, ""},
		"good, without a last line":   {"# comment\n\na@example.com:" + hash + "\r\n", ""},
		"empty":                       {"", "no login"},
		"comments only":               {"# a\n\n  # b\n", "no login"},
		"no colon":                    {"a@example.com " + hash, "line 1: not of the form"},
		"no login":                    {"# x\n:" + hash, "line 2: the login is not valid"},
		"a login with a space":        {"a b@example.com:" + hash, "line 1: the login is not valid"},
		"a login with a tab":          {"a\tb:" + hash, "line 1: the login is not valid"},
		"a login that is not UTF-8":   {"a\xff:" + hash, "line 1: the login is not valid"},
		"plain text":                  {"a@example.com:secret", "line 1: not a bcrypt hash"},
		"nothing for a hash":          {"a@example.com:", "line 1: not a bcrypt hash"},
		"MD5":                         {"a@example.com:$apr1$abcdefgh$abcdefghijklmnopqrstuv", "line 1: not a bcrypt hash"},
		"SHA-1":                       {"a@example.com:{SHA}W6ph5Mm5Pz8GgiULbPgzG37mj9g=", "line 1: not a bcrypt hash"},
		"SHA-512":                     {"a@example.com:$6$salt$" + strings.Repeat("a", 86), "line 1: not a bcrypt hash"},
		"argon2":                      {"a@example.com:$argon2id$v=19$m=65536,t=3,p=4$c2FsdA$aGFzaA", "line 1: not a bcrypt hash"},
		"bcrypt of the broken kind":   {"a@example.com:" + strings.Replace(hash, "2b", "2x", 1), "line 1: not a bcrypt hash"},
		"bcrypt cut short":            {"a@example.com:" + hash[:59], "line 1: not a bcrypt hash"},
		"bcrypt and another field":    {"a@example.com:" + hash + ":x", "line 1: not a bcrypt hash"},
		"bcrypt with a bad letter":    {"a@example.com:" + hash[:59] + "=", "line 1: not a bcrypt hash"},
		"a bad letter inside":         {"a@example.com:" + hash[:30] + "=" + hash[31:], "line 1: not a bcrypt hash"},
		"a cost that is no number":    {"a@example.com:" + strings.Replace(hash, "$10$", "$+9$", 1), "line 1: not a bcrypt hash"},
		"a cost of 3":                 {"a@example.com:" + strings.Replace(hash, "$10$", "$03$", 1), "line 1: the cost"},
		"a cost of 31":                {"a@example.com:" + strings.Replace(hash, "$10$", "$31$", 1), "line 1: the cost"},
		"a login twice":               {"a@example.com:" + hash + "\n\nA@example.COM:" + hash, "line 3: the login is there twice"},
		"two logins alike by Unicode": {"k@example.com:" + hash + "\n\u212A@example.com:" + hash, ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			path := filepath.Join(t.TempDir(), "htpasswd")
			writePasswords(t, path, tt.content)
			_, err := NewBasic(BasicConfig{Path: path})
			if tt.want == "" {
				if err != nil {
					t.Error(err)
				}
				return
			}
			if err == nil || !strings.Contains(err.Error(), tt.want) || !strings.Contains(err.Error(), path) {
				t.Fatalf("got %v, want %q", err, tt.want)
			}
			for _, secret := range []string{"secret", "abcdefgh", "example.com", "W6ph5"} {
				if strings.Contains(err.Error(), secret) {
					t.Errorf("the error shows %q: %v", secret, err)
				}
			}
		})
	}
}

func TestAPasswordFileThatIsNotThereIsAFault(t *testing.T) {
	t.Parallel()
	if _, err := NewBasic(BasicConfig{Path: filepath.Join(t.TempDir(), "none")}); err == nil {
		t.Error("accepted")
	}
	if _, err := NewBasic(BasicConfig{Path: t.TempDir()}); err == nil {
		t.Error("a directory was accepted")
	}
}
