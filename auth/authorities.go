package auth

import "example.org/library/auth/claims"

// Mode says where a caller's authorities come from.
type Mode = claims.Mode

// The modes.
const (
	ModeScope  = claims.ModeScope
	ModeGroups = claims.ModeGroups
	ModeLocal  = claims.ModeLocal
	ModePlain  = claims.ModePlain
)

// ParseMode returns the mode of that name.
func ParseMode(name string) (Mode, error) { return claims.ParseMode(name) }
