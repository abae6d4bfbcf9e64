package postgres

import (
	"strings"
	"testing"
)

func TestSettingsOfTheDriverThatDoNotWorkAreRefusedByName(t *testing.T) {
	t.Parallel()
	const address = "postgres://library:secret@db.example.org/library"
	for setting, fault := range map[string]string{
		"": "",
		"default_query_exec_mode=cache_statement": "",
		"statement_cache_capacity=100":            "",
		"description_cache_capacity=100":          "",
		"sslmode=disable":                         "",

		"default_query_exec_mode=simple_protocol": "default_query_exec_mode",
		"default_query_exec_mode=exec":            "default_query_exec_mode",
		"default_query_exec_mode=describe_exec":   "default_query_exec_mode",
		"default_query_exec_mode=cache_describe":  "default_query_exec_mode",
		"default_query_exec_mode=other":           "default_query_exec_mode",
		"statement_cache_capacity=0":              "statement_cache_capacity",
		"statement_cache_capacity=-1":             "statement_cache_capacity",
		"description_cache_capacity=0":            "description_cache_capacity",
	} {
		_, err := ParseAddress(address + "?" + setting)
		if (err == nil) != (fault == "") || err != nil && (!strings.Contains(err.Error(), fault) || strings.Contains(err.Error(), "secret")) {
			t.Errorf("%s: %v", setting, err)
		}
	}
}
