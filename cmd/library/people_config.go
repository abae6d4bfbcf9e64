package main

import (
	"slices"
	"strings"

	"example.org/library"
	"example.org/library/admission"
	"example.org/library/auth"
	"example.org/library/cli/command"
)

// peopleConfig says who gets a record without an admin, and how surely callers are tied
// to theirs.
type peopleConfig struct {
	provision  string // off or login
	unverified bool
	roles      []library.Role
	bind       string // off or on
}

func (c *peopleConfig) settings() []setting {
	return []setting{
		{flag: "provision", value: "off", usage: "login: a valid token with a role makes the record of a person whom the library does not know yet; or off", set: oneOf(&c.provision, "off", "login")},
		{flag: "provision-unverified", value: "false", boolean: true, usage: "also if the provider does not say that the e-mail address is verified", set: boolean(&c.unverified)},
		{flag: "provision-roles", usage: "roles of such a record, such as LIBRARY_USER; required with --authorities local, where tokens bring none", list: true, set: optional(roleList(&c.roles))},
		{flag: "bind-subject", value: "off", usage: "on: a record belongs to the first subject of the provider that comes with its address; or off", set: oneOf(&c.bind, "off", "on")},
	}
}

func roleList(into *[]library.Role) func(string) error {
	names := make([]string, len(library.Roles))
	for i, r := range library.Roles {
		names[i] = string(r)
	}
	return valid(into, "some of "+strings.Join(names, ", ")+", separated by commas", func(v string) (roles []library.Role, good bool) {
		for name := range strings.SplitSeq(v, ",") {
			role := library.Role(strings.TrimSpace(name))
			if !slices.Contains(library.Roles, role) {
				return nil, false
			}
			roles = append(roles, role)
		}
		return roles, true
	})
}

// provisions reports whether a login can make a record.
func (c *serveConfig) provisions() bool { return c.auth == "bearer" && c.people.provision == "login" }

// admission is by which rules callers are let in.
func (c *serveConfig) admission() admission.Rules {
	return admission.Rules{
		Binds: c.bindsSubjects(), Provisions: c.provisions(), Unverified: c.people.unverified, Roles: c.people.roles,
	}
}

func (c *serveConfig) bindsSubjects() bool { return c.auth == "bearer" && c.people.bind == "on" }

func (c *serveConfig) checkPeople() (problems []command.Problem) {
	isLocal := c.authorities == auth.ModeLocal
	if c.provisions() && isLocal && len(c.people.roles) == 0 {
		problems = append(problems, problem("--provision-roles", "is required with --provision login and --authorities local: tokens bring no roles there, so say which ones a new record has, such as LIBRARY_USER (LIBRARY_PROVISION_ROLES)"))
	}
	if c.auth == "bearer" && !isLocal && len(c.people.roles) > 0 {
		problems = append(problems, problem("--provision-roles", "is for --authorities local alone: elsewhere roles come from the token"))
	}
	return problems
}

// idlePeople are settings that do nothing without another.
func (c *serveConfig) idlePeople() (idle []string) {
	if c.auth != "bearer" && (c.people.provision == "login" || c.people.bind == "on") {
		idle = append(idle, "--provision and --bind-subject need --auth bearer")
	}
	if c.people.provision == "off" && (c.people.unverified || len(c.people.roles) > 0) {
		idle = append(idle, "--provision-unverified and --provision-roles need --provision login")
	}
	if c.provisions() && c.authorities == auth.ModePlain {
		idle = append(idle, "--provision needs another --authorities than plain, with which nobody has a role")
	}
	return idle
}
