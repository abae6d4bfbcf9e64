package plaintext

import "testing"

func TestATextIsOneLineWithoutControlCharacters(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"": "", " a  b ": "a b", "a\r\nBcc: b": "a Bcc: b", "a\x00b\u0085c\u2028d\u009be": "a b c d e", "\xff": "\uFFFD", "ä\u00a0ö": "ä\u00a0ö",
	} {
		if got := OneLine(text); got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
}
