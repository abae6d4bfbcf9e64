package client

import (
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"example.org/library/internal/testkit"
)

func TestATestMailHasTheTimeThatAMailServerNeeds(t *testing.T) {
	t.Parallel()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		time.Sleep(requestTimeout + 300*time.Millisecond)
		w.WriteHeader(http.StatusNoContent)
	}))
	t.Cleanup(server.Close)
	c, err := New(server.URL, StaticSource(Token{Access: "t"}))
	testkit.NoError(t, err)
	testkit.NoError(t, c.SendTestMail(t.Context()))
}
