package command

import (
	"errors"
	"strconv"

	"github.com/spf13/cobra"
)

// onOff is the value of a flag that switches something on or off.
type onOff bool

func (v *onOff) String() string { return strconv.FormatBool(bool(*v)) }

// Type makes the help show the flag as one that needs no value.
func (v *onOff) Type() string { return "bool" }

func (v *onOff) Set(text string) error {
	switch text {
	case "on", "yes":
		*v = true
	case "off", "no":
		*v = false
	default:
		b, err := strconv.ParseBool(text)
		if err != nil {
			return errors.New("must be on or off")
		}
		*v = onOff(b)
	}
	return nil
}

// SwitchFlag adds a flag that is on or off, with =off, =false or =no, and otherwise on. Without
// it nothing changes, so the help names no default.
func SwitchFlag(cmd *cobra.Command, into *bool, name, usage string) {
	*into = true
	flag := cmd.Flags().VarPF((*onOff)(into), name, "", usage)
	flag.NoOptDefVal, flag.DefValue = "true", "false"
	CompleteFlag(cmd, name, "on", "off")
}
