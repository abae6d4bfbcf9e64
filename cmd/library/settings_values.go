package main

import (
	"errors"
	"fmt"
	"log/slog"
	"math"
	"net"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"example.org/library"
	"example.org/library/auth"
	"example.org/library/auth/claims"
	"example.org/library/client"
	"example.org/library/sqlstore"
)

// The functions here make the set function of a setting: it checks a value and stores it. A person
// reads their errors after the name of the setting.

func text(into *string) func(string) error { return func(v string) error { *into = v; return nil } }

// valid returns a set function that stores the result of parse, or fails with the form of a good
// value.
func valid[T any](into *T, must string, parse func(v string) (T, bool)) func(string) error {
	return func(v string) error {
		value, good := parse(v)
		if !good {
			return fmt.Errorf("is %q; it must be %s", v, must)
		}
		*into = value
		return nil
	}
}

func boolean(into *bool) func(string) error {
	return valid(into, "true or false", func(v string) (bool, bool) { return v == "true", v == "true" || v == "false" })
}

func oneOf(into *string, choices ...string) func(string) error {
	return valid(into, "one of "+strings.Join(choices, ", "), func(v string) (string, bool) { return v, slices.Contains(choices, v) })
}

func listenAddress(into *string) func(string) error {
	return valid(into, "host:port or :port, such as 127.0.0.1:9091", func(v string) (string, bool) {
		_, port, err := net.SplitHostPort(v)
		n, e := strconv.Atoi(port)
		return v, err == nil && e == nil && n >= 0 && n <= 65535
	})
}

func basePath(into *string) func(string) error {
	return valid(into, "a path such as /library-server, or / for none", func(v string) (string, bool) {
		path := strings.TrimSuffix(v, "/")
		plain := strings.Trim(path, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_.~/") == ""
		return path, strings.HasPrefix(v, "/") && !strings.Contains(v, "//") && !strings.Contains(v+"/", "./") && plain
	})
}

// webAddress is an absolute http or https address; "" is left to other checks.
func webAddress(into *string) func(string) error {
	return func(v string) error {
		if left := client.Placeholder(v); left != "" {
			return errPlaceholder(left)
		}
		u, err := url.Parse(v)
		if strings.Contains(v, "@") && (err != nil || u.User != nil) {
			return errors.New("has a name or a password in it; it must be an address without, such as https://library.example.org/path")
		}
		if v != "" && (err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" || u.Fragment != "") {
			return fmt.Errorf("is %q; it must be an http or https address such as https://library.example.org/path", v)
		}
		*into = v
		return nil
	}
}

// quotable accepts text for a header, between quotes.
func quotable(into *string) func(string) error {
	return func(v string) error {
		bad := func(r rune) bool { return r <= ' ' || r >= 0x7f || r == '"' || r == '\'' || r == '\\' }
		if v == "" || strings.ContainsFunc(v, bad) {
			return errors.New("must be one word without quotes")
		}
		*into = v
		return nil
	}
}

func authorities(into *auth.Mode) func(string) error {
	return valid(into, "one of "+claims.ModeNames(", "), func(v string) (auth.Mode, bool) {
		mode, err := claims.ParseMode(v)
		return mode, err == nil
	})
}

// duration is a time from nothing to most.
func duration(into *time.Duration, most time.Duration) func(string) error {
	return valid(into, fmt.Sprintf("a duration from 0s to %ds, such as 5s", int(most.Seconds())), func(v string) (time.Duration, bool) {
		d, err := time.ParseDuration(v)
		return d, err == nil && d >= 0 && d <= most
	})
}

// waitSetting is how long a command waits for a missing or unusable database.
func waitSetting(into *time.Duration, value string) setting {
	return setting{flag: "wait", value: value, usage: "how long to wait at the start for an unreachable PostgreSQL, or for a SQLite file locked by another program; 0s for not at all, or forever",
		set: valid(into, "a duration such as 30s, or forever", func(v string) (time.Duration, bool) {
			if v == "forever" {
				return math.MaxInt64, true
			}
			d, err := time.ParseDuration(v)
			return d, err == nil && d >= 0
		})}
}

// interval is a duration of a minute or more; 0 is never.
func interval(into *time.Duration) func(string) error {
	return valid(into, "a duration of at least 1m, such as 24h, or 0s for never", func(v string) (time.Duration, bool) {
		d, err := time.ParseDuration(v)
		return d, err == nil && (d == 0 || d >= time.Minute)
	})
}

func count(into *int, least, most int) func(string) error {
	return valid(into, fmt.Sprintf("a number from %d to %d", least, most), func(v string) (int, bool) {
		n, err := strconv.Atoi(v)
		return n, err == nil && n >= least && n <= most
	})
}

// hosts is a list of host:port without scheme.
func hosts(into *[]string) func(string) error {
	return func(v string) error {
		var out []string
		for host := range strings.SplitSeq(v, ",") {
			host = strings.TrimSpace(host)
			u, err := url.Parse("http://" + host)
			if err != nil || u.Host != host || u.Hostname() == "" || strings.ContainsAny(host, "*@/?# ") {
				return fmt.Errorf("has %q in it; it takes host:port without a scheme (both http and https are allowed then), several separated by commas", host)
			}
			out = append(out, host)
		}
		*into = out
		return nil
	}
}

func database(into *string) func(string) error {
	return func(v string) error {
		if err := sqlstore.CheckAddress(v); err != nil {
			return fmt.Errorf("cannot be used: %w", err)
		}
		*into = v
		return nil
	}
}

func emailAddress(into *string) func(string) error {
	return func(v string) error {
		if v != "" && library.CheckEmail(v) != nil {
			return errors.New("is not an e-mail address")
		}
		*into = v
		return nil
	}
}

func logLevel(into *slog.Level) func(string) error {
	return valid(into, "one of debug, info, warn, error", func(v string) (level slog.Level, good bool) {
		err := level.UnmarshalText([]byte(v))
		return level, err == nil
	})
}
