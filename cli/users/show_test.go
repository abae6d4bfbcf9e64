package users

import (
	"testing"

	"example.org/library/api"
	"example.org/library/cli/records"
	"example.org/library/client"
	"example.org/library/internal/testkit"
)

func TestAnAddressThatIsRefusedIsShownInWords(t *testing.T) {
	t.Parallel()
	c, err := client.New("http://127.0.0.1:1", client.StaticSource(client.Token{Access: "x"}))
	testkit.NoError(t, err)
	k := records.NewCalendar(c) // of nobody: days are those of UTC
	u := api.User{MailProblem: &api.MailProblem{Code: 550, Since: "2020-11-15T08:00:00Z"}}
	testkit.Equal(t, unreachable(t.Context(), k, u), "cannot be reached by mail since Sunday, 15 November 2020: the mail server does not accept the address (550). "+
		"Change the address, or try again with 'library notices retry'.")
	testkit.Equal(t, mailProblem(u), "550 2020-11-15T08:00:00Z")
	testkit.Equal(t, unreachable(t.Context(), k, api.User{}), "")
	testkit.Equal(t, mailProblem(api.User{}), "")
}

func TestRemindersAreNotSpokenOfWhereNoMailsAreSent(t *testing.T) {
	t.Parallel()
	testkit.Equal(t, reminders(api.User{Reminders: true}, true), "yes")
	testkit.Equal(t, reminders(api.User{}, true), "no")
	testkit.Equal(t, reminders(api.User{Reminders: true}, false), "")
}
