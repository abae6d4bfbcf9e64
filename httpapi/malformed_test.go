package httpapi_test

import (
	"bufio"
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"strconv"
	"strings"
	"testing"

	"example.org/library/api"
	"example.org/library/httpapi"
	"example.org/library/internal/testkit"
)

func TestRefusalsOfWhatIsNoRequestAreInTheContract(t *testing.T) {
	t.Parallel()
	c, err := theContract()
	testkit.NoError(t, err)
	declared := c.doc.Components.Responses["Malformed"].Value
	said := map[string]bool{}
	for _, status := range []int{400, 417, 431, 501, 505} {
		resp, err := http.ReadResponse(bufio.NewReader(bytes.NewReader(httpapi.Refusal(true)(status))), nil)
		testkit.NoError(t, err)
		body, err := io.ReadAll(resp.Body)
		testkit.NoError(t, err)
		a := reply{status: resp.StatusCode, header: resp.Header, body: body}
		for _, complaint := range append(c.headerComplaints(declared, a), c.bodyComplaints(declared, "GET", a)...) {
			t.Errorf("%d: %s", status, complaint)
		}
		for _, text := range []string{*declared.Description, c.doc.Info.Description} {
			if !strings.Contains(text, strconv.Itoa(status)) {
				t.Errorf("the contract does not have status %d", status)
			}
		}
		var e api.Error
		if err := json.Unmarshal(body, &e); err != nil || said[e.Message] {
			t.Errorf("%d says what another one says: %s, %v", status, body, err)
		}
		said[e.Message] = true
		if resp.StatusCode != status || !resp.Close || resp.Header.Get("Strict-Transport-Security") == "" {
			t.Errorf("%d is %v", status, resp)
		}
	}
}
