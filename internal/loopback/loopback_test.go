package loopback

import "testing"

func TestOnlyTheLoopbackInterfaceIsThisMachine(t *testing.T) {
	t.Parallel()
	for host, want := range map[string]bool{
		"localhost": true, "LocalHost": true, "127.0.0.1": true, "127.9.9.9": true, "::1": true, "::ffff:127.0.0.1": true,
		"": false, "localhost.example.com": false, "10.0.0.1": false, "0.0.0.0": false, "::": false, "::1%lo": false, "127.0.0.1.example.com": false,
	} {
		if Is(host) != want {
			t.Errorf("%q: %v", host, !want)
		}
	}
}
