package records

import (
	"context"
	"fmt"

	"example.org/library/api"
	"example.org/library/cli/command"
)

// SetAside says for whom a copy is set aside: "Set aside for Bruce Wayne until
// Friday, 12 December".
func SetAside(ctx context.Context, k *Calendar, h api.Hold) string {
	text := "Set aside"
	if name := NameOf(h.User); name != "" {
		text += " for " + name
	}
	if h.Until != "" {
		text += " until " + k.Day(ctx, h.Until)
	}
	return text
}

// HoldState is how far a hold has come, in words.
func (k *Calendar) HoldState(ctx context.Context, state string, position int, until string) string {
	switch {
	case state == api.HoldWaiting && position == 1:
		return "next in the queue"
	case state == api.HoldWaiting && position > 1:
		return fmt.Sprintf("number %s in the queue", command.Thousands(position))
	case state == api.HoldReady && until != "":
		return "ready until " + k.Day(ctx, until)
	}
	return state
}
