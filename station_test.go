package library

import (
	"errors"
	"testing"
	"time"
)

func TestFiveUnknownCardsInAMinuteAreEnough(t *testing.T) {
	t.Parallel()
	now := time.Unix(1000, 0)
	for _, c := range []struct {
		rule  string
		ages  []time.Duration // the newest first
		retry time.Duration   // 0 for no refusal
	}{
		{"none", nil, 0},
		{"four", []time.Duration{0, 1, 2, 3}, 0},
		{"five", []time.Duration{0, 10, 20, 30, 40 * time.Second}, 20 * time.Second},
		{"one is as old as a minute", []time.Duration{0, 1, 2, 3, time.Minute}, 0},
		{"the last of five ends the wait", []time.Duration{0, 1, 2, 3, time.Minute - time.Second}, time.Second},
		{"another clock is ahead a little", []time.Duration{-time.Second, -time.Second, -time.Second, -time.Second, -time.Second}, time.Minute},
		{"another clock is far ahead", []time.Duration{-time.Hour, -time.Hour, -time.Hour, -time.Hour, -time.Hour}, 0},
	} {
		var unknown []time.Time
		for _, age := range c.ages {
			unknown = append(unknown, now.Add(-age))
		}
		err := MayTryCard(unknown, now)
		refused, _ := errors.AsType[*Error](err)
		if (err != nil) != (c.retry > 0) || err != nil && (refused.RetryAfter != c.retry || refused.Code != ErrTooManyTries.Code) {
			t.Errorf("%s: %+v", c.rule, err)
		}
	}
}

func TestTheRulesOfBecomingAStation(t *testing.T) {
	t.Parallel()
	hasNone := func() (bool, error) { return false, nil }
	has := func() (bool, error) { return true, nil }
	person, station := User{ID: "jane"}, User{ID: "jane", UserFields: UserFields{Station: true}}
	admin := User{ID: "jane", UserFields: UserFields{Roles: []Role{RoleAdmin}}}
	john := Actor{User: User{ID: "john"}, FromRecord: true}
	for _, c := range []struct {
		rule string
		got  error
		want error
	}{
		{"a person becomes one", person.MayBeStation(station, hasNone), nil},
		{"without books", person.MayBeStation(station, has), ErrUserHasBooks},
		{"a person stays one with books", person.MayBeStation(person, has), nil},
		{"a station stays one", station.MayBeStation(station, has), nil},
		{"nobody becomes one alone", person.MayBecome(station, Actor{User: person}, hasNone), ErrSelf},
		{"nor does the last admin", admin.MayBecome(station, john, hasNone), ErrLastAdmin},
		{"but one of two", admin.MayBecome(station, john, has), nil},
	} {
		if !errors.Is(c.got, c.want) {
			t.Errorf("%s: error %v, want %v", c.rule, c.got, c.want)
		}
	}
}
