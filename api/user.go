package api

// Person is the public part of a user.
type Person struct {
	Identifier string `json:"identifier"`
	FirstName  string `json:"firstName"`
	LastName   string `json:"lastName"`
	Group      string `json:"group,omitempty"` // a class, a department
}

// Reader is a user as the desk sees one.
type Reader struct {
	Person
	Category string `json:"category,omitempty"` // pupil, teacher
	Card     string `json:"card,omitempty"`
	Note     string `json:"note,omitempty"`
	Block    string `json:"block,omitempty"` // why nothing is lent to the person
	Active   bool   `json:"active"`          // others cannot borrow
	Loans    int    `json:"loans"`           // how many the person has now
	Overdue  int    `json:"overdue"`         // how many of these are overdue

	Unreachable bool `json:"unreachable,omitempty"` // by mail: the address is refused
}

// User is a user as admins see one.
type User struct {
	Identifier string   `json:"identifier"`
	Email      string   `json:"email"`
	FirstName  string   `json:"firstName"`
	LastName   string   `json:"lastName"`
	Roles      []string `json:"roles,omitempty"`
	Card       string   `json:"card,omitempty"`
	Locale     string   `json:"locale"`             // en or de
	Reminders  bool     `json:"reminders"`          // of due dates, by mail
	Group      string   `json:"group,omitempty"`    // a class, a department
	Category   string   `json:"category,omitempty"` // pupil, teacher
	Active     bool     `json:"active"`             // others are refused like strangers
	Station    bool     `json:"station"`            // a machine beside the shelves, not a person
	Bound      bool     `json:"bound"`              // tied to a subject of the identity provider
	Note       string   `json:"note,omitempty"`     // of staff; not in Me
	Block      string   `json:"block,omitempty"`    // why nothing is lent to the person; not in Me

	MailProblem *MailProblem `json:"mailProblem,omitempty"` // why nobody writes to the address; only for admins
}

// Me is the caller's own record with the authorities of the credentials.
type Me struct {
	User
	Authorities []string `json:"authorities"`
	RolesFrom   string   `json:"rolesFrom"`             // RolesFromToken or RolesFromRecord
	LibraryName string   `json:"libraryName,omitempty"` // the name of the library
	Provision   string   `json:"provision,omitempty"`   // ProvisionLogin, or "" if only admins add users
	Mail        bool     `json:"mail"`                  // the library sends mails

	Lookup      bool `json:"lookup"`      // books can be looked up elsewhere
	CoverSource bool `json:"coverSource"` // covers can be fetched

	RolesClaim   string `json:"rolesClaim,omitempty"`   // the claim of the token with the roles, where a setting names it
	RolesMissing string `json:"rolesMissing,omitempty"` // the reason for no roles: one of the RolesMissing constants
}

// Where the authorities of a caller come from. What an admin changes about the
// roles of a user has an effect only if it is the record.
const (
	RolesFromToken  = "token"
	RolesFromRecord = "record"
)

// Why a token gives no authorities.
const (
	RolesMissingClaim     = "claim_missing"     // it has no such claim, or an empty one
	RolesMissingUsable    = "claim_unusable"    // the claim is neither text, a list of texts nor an object
	RolesMissingElsewhere = "claim_elsewhere"   // the claim is to be fetched elsewhere (_claim_names)
	RolesMissingMapped    = "values_not_mapped" // the library has a map of roles, without any of the claim's values
)

// ProvisionLogin means: a first login makes the record. A removed user may come back this
// way; a deactivated one does not.
const ProvisionLogin = "login"

// Export is the whole knowledge of the library about the caller.
type Export struct {
	User  User   `json:"user"`
	Loans []Loan `json:"loans"` // open and returned ones
	Holds []Hold `json:"holds"` // active and ended ones

	Notices []Notice `json:"notices,omitempty"` // past and future ones by mail
}
