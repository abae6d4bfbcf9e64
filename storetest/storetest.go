// Package storetest is the conformance suite of [library.Store]: it tests every
// implementation in the same way. [Run] is all that an implementation needs.
//
// Start reading at the tables of rules: each rule is one line there, and one function.
// They are rules about stores; who may borrow what is decided, and tested, in
// package library. A table per subject:
//
//   - in this file: records, lists, searches, imports and saved responses. What lists and
//     searches must return is computed a second time in brute_force.go, in the simplest way;
//   - storetest/changes: the change log, and the revisions that caches depend on;
//   - storetest/hooks: what is collected for web hooks, and how far each has come;
//   - storetest/races: callers who change the same records at the same time;
//   - storetest/linearizability: histories of concurrent callers, checked against a model;
//   - storetest/lendingmodel: random sequences of steps, compared with a model of lending.
//
// storetest/fixture is what they share; storetest/bookgen generates large catalogues.
package storetest

import (
	"slices"
	"testing"

	"example.org/library/storetest/changes"
	"example.org/library/storetest/fixture"
	"example.org/library/storetest/hooks"
	"example.org/library/storetest/lendingmodel"
	"example.org/library/storetest/linearizability"
	"example.org/library/storetest/races"
)

// allRules is the whole contract of a store.
var allRules = slices.Concat(recordRules, searchRules, concurrentRules, lendingmodel.Rules)

// concurrentRules are about callers who act at once.
var concurrentRules = slices.Concat([]fixture.Rule{
	{"a notice goes out once, although several take themselves for the only sender", severalSendersSendOnce},
	{"of many who use a key at once one makes a change", raceForOneKey},
	{"imports of the same books run one after the other", importsRunOneByOne},
	{"an import gets along with others who add its books", importAndOthers},
}, changes.Rules, hooks.Rules, races.Rules, linearizability.Rules)

// recordRules are about records, lists, searches, imports and saved responses.
var recordRules = []fixture.Rule{
	{"a new store is empty", newStoreIsEmpty},

	{"a book comes back as it was stored", bookRoundTrip},
	{"an edit replaces a book's fields and keeps its creation", bookEdit},
	{"an identifier belongs to one book", bookIdentifierTaken},
	{"a book that is not there is not found", bookNotFound},

	{"a cover comes back as it was stored, and goes with its book", coversOfBooks},
	{"what edits a book leaves its cover alone", editsKeepCovers},

	{"a book names the shelves of its lendable copies, each once, in the order of titles", shelvesOfBooks},

	{"books are found by any of their keys, each once, the oldest first", findBooks},
	{"many books at once are as good as one by one", manyBooksAtOnce},
	{"of very many books with one key some are found", findManyAlike},
	{"an import finds its books and writes them", importsAreDone},
	{"an import does the same when each row is written by itself", importsInBatches},
	{"an import that breaks off has written its first rows, and again finishes", importBreaksOff},
	{"an import that changes nothing leaves the revision", importWithoutChange},
	{"users are found by address and by card", usersAreFound},
	{"an import of people adds them once, and the same again changes nothing", peopleAreImported},

	{"a stocktake is a set of copies, whatever happens to them meanwhile", stocktakesAreSets},

	{"a user comes back as it was stored", userRoundTrip},
	{"an edit replaces a user's fields and keeps the creation", userEdit},
	{"people and readers are found by whether they are let in", peopleWhoAreSwitchedOff},
	{"a station is a user and no reader", stationIsNoReader},
	{"the latest unknown cards of a station are counted, and go with it", unknownCardsOfAStation},
	{"an open loan or an active hold is in the way of a station", hasBooks},
	{"people, readers and loans are found by group, without regard to case alone", peopleInGroups},
	{"a subject belongs to one user, who keeps it when edited", userSubject},
	{"who is switched off does not count as an admin", onlyActiveAdmins},
	{"an e-mail address belongs to one user, without regard to ASCII case", emailTaken},
	{"Unicode look-alikes are other e-mail addresses", emailLookAlikes},
	{"a user who is not there is not found", userNotFound},

	{"a loan comes with its book until it is closed", loanOpenAndClose},
	{"a book has one open loan", loanOnlyOne},
	{"a loan moves to a copy whose hold has just expired", loanMovesToAnExpiredHold},
	{"a loan needs a book and a user", loanNeedsBothEnds},
	{"a return that is undone leaves no trace", loanReturnUndone},
	{"nothing more is lent to who is switched off, and what they have comes back", loanToWhoIsOff},
	{"a lent book cannot be deleted, nor its borrower", loanHoldsBothEnds},
	{"closed loans let their book and their borrower go", loanClosedLetsGo},

	{"holds that become ready or expire are told, once for each time", holdsAreTold},
	{"a borrower is told once that somebody waits", borrowersAreToldThatSomebodyWaits},
	{"a hold that expires is told although its person is forgotten at once", holdsAreToldWithoutHistory},
	{"a loan is reminded of once for each due date and value, from the time of the day on", loansAreReminded},
	{"who wants no reminders or is switched off gets none, also what was written", remindersFollowThePerson},
	{"notices forget their person with the history, and are gone after 90 days", noticesForget},
	{"notices are listed newest first, and wait while the outbox is paused", noticesAreListed},
	{"a notice is written once, and can be retried when it has failed", noticesAreRetried},
	{"a notice that ends forgets the person whom its loan or hold has forgotten", noticesForgetWhenTheyEnd},
	{"who resumes mails without sending any keeps what they were sent with", resumingWithoutMailKeepsTheGuard},
	{"a sender who has lost its claim ends nothing that it has not sent", aLostClaimEndsNothing},
	{"what has been overdue for months is told once", whatIsLongOverdueIsToldOnce},
	{"a reminder that was written before its day is dropped, and comes on its day, once", remindersComeOnTheirDay},
	{"an attempt counts once, also when the change is made again", anAttemptCountsOnce},

	{"books are ordered by folded title, then bytes, then identifier", bookOrder},
	{"users are ordered by folded names, then bytes, then identifier", userOrder},
	{"pages of any size add up to the whole list", pagesAddUp},
	{"every field of a book is added, updated and read", everyFieldIsStored},
	{"a list stops at the book with which it is heavy enough", booksAreWeighed},
	{"brief books are the same books in the same order", briefBooksAreTheSameBooks},
	{"books can be listed by their identifiers", booksByIdentifier},
	{"pages of long books add up to the whole list, without those that are deleted meanwhile", pagesOfLongBooksAddUp},
	{"pages of users add up to the whole list", userPagesAddUp},
	{"a cursor is good when its record is gone", cursorOutlivesRecord},
	{"misspelt words are corrected to the nearest that some book has", correctionsFollowTheRules},
	{"statistics are what brute force counts", statisticsMatchBruteForce},

	{"a user is found by the same rule", searchUsers},
	{"a reader is found by name, card or the whole address", searchReaders},

	{"a transaction that fails changes nothing", txRollsBackOnError},
	{"a transaction that panics changes nothing", txRollsBackOnPanic},
	{"a context that ended ends the work", contextEnds},
	{"a store that was closed gives errors", closedStore},

	{"an answer is kept under its key until it is too old", answerRoundTrip},
	{"an answer is kept together with its change", answersGoWithTheChange},
	{"of a caller's answers the newest stay", newestAnswersStay},
	{"a caller has a bounded number of answers", callersAreBounded},
	{"old answers are dropped, and those of a user who is deleted", answersAreDropped},
	{"answers that are a day old go by themselves", answersBecomeOld},
	{"an answer is forgotten with the person that it tells of, and its key stays", answersForget},
	{"an answer is not forgotten for other reasons", answersStayUntilForgotten},
}

// searchRules are about finding books. They hold for any limits of a store.
var searchRules = []fixture.Rule{
	{"lists are what brute force finds", listsMatchBruteForce},
	{"books by relevance are what the model says, in pages of any size", relevanceMatchesModel},
	{"a search finds words by their beginnings, all of them", searchWords},
	{"an ISBN is found in every spelling", searchISBN},
	{"a question cannot speak the language of the index", searchHostile},
	{"an edited or deleted book is found by its new words alone", searchFollowsEdits},
	{"facets count what the books of a query are about", facetsOfRandomBooks},
	{"suggestions are the values whose words begin so, those with the most books first", suggestionsOfRandomBooks},
}

// Open opens an existing database: see [fixture.Open].
type Open = fixture.Open

// Database is the whole interface of a store, for every part of the domain.
type Database = fixture.Database

// Run tests a store. It calls fresh for each rule, to make an empty database.
func Run(t *testing.T, fresh func(testing.TB) Open) { run(t, fresh, rules) }

// RunSearches tests only searchRules, as Run does.
func RunSearches(t *testing.T, fresh func(testing.TB) Open) { run(t, fresh, searchRules) }

func run(t *testing.T, fresh func(testing.TB) Open, rules []fixture.Rule) {
	for _, rule := range rules {
		t.Run(rule.Name, func(t *testing.T) {
			t.Parallel()
			rule.Test(t, fixture.New(t, fresh(t)))
		})
	}
}
