package main

import (
	"bytes"
	"log/slog"
	"strings"
	"testing"
)

func TestServeWarnsOfAVerificationThatIsOfAnotherAddress(t *testing.T) {
	t.Parallel()
	for args, want := range map[string]string{
		"":                         "",
		"--require-verified-email": "",
		"--provision login":        "",
		"--email-claim upn":        "",
		"--email-claim email --require-verified-email":                                        "",
		"--email-claim upn --provision login --provision-unverified":                          "",
		"--email-claim upn --bind-subject on":                                                 "",
		"--email-claim upn --require-verified-email":                                          "--require-verified-email goes by the claim email_verified",
		"--email-claim upn --provision login":                                                 "--provision goes by the claim email_verified",
		"--email-claim upn --provision login --provision-unverified --require-verified-email": "--require-verified-email goes by",
	} {
		cfg, problems := configure(nil, append(strings.Fields(args), "--issuer", goodIssuer)...)
		var log bytes.Buffer
		cfg.sayWhoCanCall(slog.New(slog.NewTextHandler(&log, nil)))
		if problems != nil || !strings.Contains(log.String(), want) || (log.Len() > 0) != (want != "") {
			t.Errorf("%s: %v\n%s", args, problems, log.String())
		}
	}
}
