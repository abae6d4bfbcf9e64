// Command packaging makes what is published of a version: an archive for each platform,
// packages for Debian and Red Hat, a software bill of materials (SBOM) for each, the licences of
// others, and checksums. `make dist` calls it. Start reading at release.go.
//
// It is a module of its own, so that the program does not depend on what packages are made
// with. The same commit gives the same bytes: times are that of the commit, paths are cut,
// names are sorted, and nothing of the machine is in the files.
package main
