package desk

import "example.org/library/cli/clitest"

// program has the commands of this package alone.
var program = clitest.Only(New)
