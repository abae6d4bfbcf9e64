package account

import "example.org/library/cli/clitest"

// program has the commands of this package alone.
var program = clitest.Only(NewLogin, NewLogout, NewWhoami, NewToken, NewServer, NewMe)
