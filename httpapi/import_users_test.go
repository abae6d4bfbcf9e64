package httpapi_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"example.org/library/api"
	"example.org/library/auth"
	"example.org/library/internal/testkit"
	"example.org/library/userfile"
)

func TestImportingPeople(t *testing.T) {
	t.Parallel()
	const run, update, dry = "POST /imports/users", "POST /imports/users?update=true", "POST /imports/users?dryRun=true"
	const ada = `{"email":"ada@school.example","firstName":"Ada","lastName":"Byron","card":"S-1","group":"7a","roles":["LIBRARY_USER"],"locale":"de","active":true}`
	runSteps(t, []step{
		{rule: "it is for admins", as: peterParker, ask: run, body: `[` + ada + `]`, status: 403, code: "role_missing"},
		{rule: "a dry run says what would happen", as: clarkKent, ask: dry, body: `[` + ada + `,` + ada + `,{"firstName":"A"}]`, status: 200, want: facts{
			"length": 3, "0.outcome": "added", "0.identifier": absent, "1.outcome": "unchanged", "2.outcome": "invalid", "2.code": "required"}},
		{rule: "and changes nothing", as: clarkKent, ask: "GET /users?q=ada", status: 200, want: facts{"length": 0}},
		{rule: "who is not there is added", as: clarkKent, ask: run, body: `[` + ada + `,{"email":"bob@school.example","firstName":"Bob","lastName":"Byron"}]`,
			status: 200, keep: "ada:0.identifier", want: facts{"0.outcome": "added", "1.outcome": "added"}},
		{rule: "with everything", as: clarkKent, ask: "GET /users/{ada}", status: 200, want: facts{
			"email": "ada@school.example", "firstName": "Ada", "lastName": "Byron", "card": "S-1", "group": "7a", "roles.0": "LIBRARY_USER", "locale": "de", "active": true, "reminders": true}},
		{rule: "the same again changes nothing", as: clarkKent, ask: update, body: `[` + ada + `]`, status: 200, want: facts{"0.outcome": "unchanged", "0.identifier": "{ada}"}},
		{rule: "the case of an address does not matter", as: clarkKent, ask: run, body: `[{"email":"ADA@school.example"}]`, status: 200, want: facts{"0.outcome": "unchanged"}},
		{rule: "a row without an address is refused", as: clarkKent, ask: update, body: `[{"firstName":"Ada","lastName":"Byron","card":"S-1"}]`, status: 200, want: facts{
			"0.outcome": "invalid", "0.code": "required", "0.details.0.field": "email", "0.details.0.code": "required"}},
		{rule: "so is a new person without a name", as: clarkKent, ask: update, body: `[{"email":"x@school.example"}]`, status: 200, want: facts{
			"0.outcome": "invalid", "0.code": "invalid", "0.details.0.field": "firstName", "0.details.1.field": "lastName"}},
		{rule: "what is different stays", as: clarkKent, ask: run, body: `[{"email":"ada@school.example","group":"8a","active":false}]`, status: 200, want: facts{
			"0.outcome": "differs", "0.code": "user_differs", "0.details.0.field": "group", "0.details.1.field": "active", "0.identifier": "{ada}"}},
		{rule: "without update=true", as: clarkKent, ask: update, body: `[{"email":"ada@school.example","group":"8a","locale":"","card":null,"reminders":false}]`, status: 200, want: facts{"0.outcome": "updated"}},
		{rule: "and nothing is cleared", as: clarkKent, ask: "GET /users/{ada}", status: 200, want: facts{"group": "8a", "card": "S-1", "locale": "de", "reminders": false, "active": true}},
		{rule: "somebody with another address is found by the card", as: clarkKent, ask: update, body: `[{"email":"ada.byron@school.example","card":"S-1"}]`, status: 200, want: facts{"0.outcome": "updated", "0.identifier": "{ada}"}},
		{rule: "the card of somebody else is taken", as: clarkKent, ask: update, body: `[{"email":"bob@school.example","card":"S-1"}]`, status: 200, want: facts{
			"0.outcome": "invalid", "0.code": "card_taken", "0.details.0.field": "card"}},
		{rule: "so is one that is twice in the file", as: clarkKent, ask: run, body: `[{"email":"c@school.example","firstName":"C","lastName":"C","card":"S-9"},{"email":"d@school.example","firstName":"D","lastName":"D","card":"S-9"}]`,
			status: 200, want: facts{"0.outcome": "added", "1.outcome": "invalid", "1.code": "card_taken"}},
		{rule: "a card that an earlier row has given up is free", as: clarkKent, ask: update, body: `[{"email":"c@school.example","card":"S-8"},{"email":"e@school.example","firstName":"E","lastName":"E","card":"S-9"}]`,
			status: 200, want: facts{"0.outcome": "updated", "1.outcome": "added"}},
		{rule: "rows that contradict each other are reported", as: clarkKent, ask: update, body: `[{"email":"c@school.example","group":"1"},{"email":"c@school.example","firstName":"Cy"},{"email":"c@school.example","group":"2"}]`,
			status: 200, want: facts{"0.outcome": "updated", "1.outcome": "updated", "2.outcome": "invalid", "2.code": "ambiguous_user", "2.details.0.code": "differs_from_row"}},
		{rule: "bad rows do no harm to others", as: clarkKent, ask: run, body: `[7,{"email":"no"},{"email":"f@school.example","firstName":"F","lastName":"F","roles":["BOSS"]},{"email":"f@school.example","email":"g@school.example"},{"email":"f@school.example","firstName":"F","lastName":"F","active":"yes"},{"email":"f@school.example","firstName":"F","lastName":"F"}]`,
			status: 200, want: facts{"0.outcome": "invalid", "1.details.0.code": "not_an_email", "2.details.0.field": "roles[0]", "3.details.0.code": "duplicate", "4.details.0.code": "not_a_boolean", "5.outcome": "added"}},
		{rule: "nobody switches themselves off", as: clarkKent, ask: update, body: `[{"email":"` + clarkKent + `","active":false}]`, status: 200, want: facts{"0.outcome": "invalid", "0.code": "self"}},
		{rule: "a dry run knows that", as: clarkKent, ask: update + "&dryRun=true", body: `[{"email":"` + clarkKent + `","active":false}]`, status: 200, want: facts{"0.outcome": "invalid", "0.code": "self"}},
		{rule: "somebody else is switched off", as: clarkKent, ask: update, body: `[{"email":"` + bruceBanner + `","active":false}]`, status: 200, want: facts{"0.outcome": "updated"}},
		{rule: "and is refused like an unknown user", as: bruceBanner, ask: "GET /me", status: 401, code: "unknown_user"},
		{rule: "addresses are made out of a member", as: clarkKent, ask: run + "?emailPattern=%7Baccount%7D@school.example", body: `[{"account":"grace","firstName":"Grace","lastName":"Hopper"},{"firstName":"No","lastName":"Account"}]`,
			status: 200, keep: "grace:0.identifier", want: facts{"0.outcome": "added", "1.code": "required"}},
		{rule: "as it says", as: clarkKent, ask: "GET /users/{grace}", status: 200, want: facts{"email": "grace@school.example"}},
		{rule: "what is no pattern is refused", as: clarkKent, ask: run + "?emailPattern=school.example", body: `[{}]`, status: 400, code: "bad_query", want: facts{"details.0.field": "emailPattern"}},
		{rule: "who is added gets the roles of the import", as: clarkKent, ask: run + "?roles=LIBRARY_USER,LIBRARY_CURATOR", body: `[{"email":"h@school.example","firstName":"H","lastName":"H"},{"email":"` + peterParker + `"}]`,
			status: 200, keep: "h:0.identifier", want: facts{"0.outcome": "added", "1.outcome": "unchanged"}},
		{rule: "all of them", as: clarkKent, ask: "GET /users/{h}", status: 200, want: facts{"roles.length": 2}},
		{rule: "which must be roles", as: clarkKent, ask: run + "?roles=BOSS", body: `[{}]`, status: 400, code: "bad_query", want: facts{"details.0.field": "roles"}},
		{rule: "an empty import is refused", as: clarkKent, ask: run, body: `[]`, status: 400, code: "import_size"},
	})
}

func TestTheLastAdminStaysWhereRecordsGiveTheRoles(t *testing.T) {
	t.Parallel()
	w := newWorld(t, func(s *setup) { s.auth.Authorities = auth.ModeLocal })
	for _, c := range []struct{ body, outcome, code string }{
		{`[{"email":"` + clarkKent + `","roles":["LIBRARY_USER"]}]`, "invalid", "last_admin"},
		{`[{"email":"second@example.com","firstName":"S","lastName":"S","roles":["LIBRARY_ADMIN"],"active":false},{"email":"` + clarkKent + `","roles":["LIBRARY_USER"]}]`, "invalid", "last_admin"},
		{`[{"email":"second@example.com","active":true},{"email":"` + clarkKent + `","group":"IT"}]`, "updated", ""},
		{`[{"email":"second@example.com","roles":["LIBRARY_CURATOR"]},{"email":"` + clarkKent + `","roles":["LIBRARY_USER"]}]`, "invalid", "last_admin"},
	} {
		a := w.send(t, request{as: clarkKent, method: http.MethodPost, path: "/imports/users?update=true", body: c.body}).want(t, 200, "")
		results := decode[[]api.ImportResult](t, a)
		if last := results[len(results)-1]; last.Outcome != c.outcome || last.Code != c.code {
			t.Errorf("%s: %+v", c.body, results)
		}
	}
}

func TestImportingATableOfPeople(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	table := func(query, text string) reply {
		return w.send(t, request{as: clarkKent, method: http.MethodPost, path: "/imports/users" + query, body: text, header: field("Content-Type", "text/csv")})
	}
	const german = "Nachname;Vorname;Klasse;Konto;Farbe\nM\xfcller;J\xf6rg;7a;joerg;rot\nByron;Ada;7b;;\nzu;wenig\n"
	got := decode[api.TableImport](t, table("?emailPattern=%7BKonto%7D%40school.example", german).want(t, 200, ""))
	testkit.Diff(t, []string{"added ", "invalid required", "invalid cell_count"}, []string{
		got.Results[0].Outcome + " " + got.Results[0].Code, got.Results[1].Outcome + " " + got.Results[1].Code, got.Results[2].Outcome + " " + got.Results[2].Code})
	testkit.Diff(t, &api.RowUser{Email: "joerg@school.example", FirstName: "Jörg", LastName: "Müller", Group: "7a"}, got.Results[0].User)
	if got.Results[0].Line != 2 || got.Charset != "windows-1252" || len(got.Ignored) != 1 || got.Ignored[0] != "Farbe" {
		t.Errorf("%+v", got)
	}
	table("", "Farbe;Form\nrot;rund\n").want(t, 400, "file_no_people")
	table("?emailPattern=%7Baccount%7D@b.c", "email,first name\na@b.c,A\n").want(t, 400, "file_no_column")
	table("?emailPattern=%7Baccount%7D@b.c", "account;Klasse\nwayne;7a\n").want(t, 200, "")
	table("", "email\n").want(t, 400, "file_no_rows")
	table("", "email\n"+strings.Repeat("a@b.c\n", 1001)).want(t, 400, "import_size")
	table("", "PK\x03\x04").want(t, 400, "file_binary")
	first := decode[api.TableImport](t, table("?part=more", "email,first name,last name\nq@b.c,Q,Q\nr@b.c,R").want(t, 200, ""))
	if len(first.Results) != 1 || first.Next == nil || first.Next.Line != 3 {
		t.Errorf("%+v", first)
	}
}

func TestEveryFieldOfAPersonComesFromATable(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	const (
		columns = "email,first name,last name,card,group,category,roles,locale,reminders,active,note,block"
		row     = "ada@b.c,Ada,Byron,C-1,7a,pupil,LIBRARY_USER,de,false,false,shy,owes 3"
	)
	if n := strings.Count(columns, ",") + 1; n != len(userfile.Fields) {
		t.Fatalf("a file has %d fields, this test %d", len(userfile.Fields), n)
	}
	a := w.send(t, request{as: clarkKent, method: http.MethodPost, path: "/imports/users", body: columns + "\n" + row, header: field("Content-Type", "text/csv")}).want(t, 200, "")
	got := decode[map[string]any](t, w.send(t, request{as: clarkKent, path: "/users/" + decode[api.TableImport](t, a).Results[0].Identifier}).want(t, 200, ""))
	delete(got, "identifier")
	testkit.Diff(t, map[string]any{
		"email": "ada@b.c", "firstName": "Ada", "lastName": "Byron", "card": "C-1", "group": "7a", "category": "pupil", "roles": []any{"LIBRARY_USER"},
		"locale": "de", "reminders": false, "active": false, "note": "shy", "block": "owes 3", "station": false, "bound": false,
	}, got)
}

func TestAnImportOfPeopleIsReplayedUntilOneOfThemIsForgotten(t *testing.T) {
	t.Parallel()
	for database, open := range databases {
		t.Run(database, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, func(s *setup) { s.open = open })
			var rows []string
			for i := range 250 { // more than one transaction
				rows = append(rows, fmt.Sprintf("p%d@b.c,P,P%d", i, i))
			}
			ask := request{as: clarkKent, method: http.MethodPost, path: "/imports/users", body: "email,first name,last name\n" + strings.Join(rows, "\n"),
				header: http.Header{"Content-Type": {"text/csv"}, "Idempotency-Key": {"people"}}}
			a := w.send(t, ask).want(t, 200, "")
			wantReplayed(t, a, w.send(t, ask))
			last := decode[api.TableImport](t, a).Results[249].Identifier
			w.send(t, request{as: clarkKent, method: http.MethodDelete, path: "/users/" + last}).want(t, 204, "")
			w.send(t, ask).want(t, 409, "answer_forgotten")
		})
	}
}
