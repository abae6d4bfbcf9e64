package main

import (
	"cmp"
	"context"
	"flag"
	"fmt"
	"log"
	"os"
	"os/signal"
	"slices"
	"strings"
)

func main() {
	log.SetFlags(0)
	source := flag.String("source", "..", "the folder of the project")
	out := flag.String("out", "../build/dist", "where to write; what is there is deleted")
	only := flag.String("only", "", "one platform alone, such as linux/amd64")
	version := flag.String("version", "", "the version, if it is not what scripts/version says")
	var from origin
	flag.StringVar(&from.maintainer, "maintainer", "", "who makes the packages: Name <address>")
	flag.StringVar(&from.homepage, "homepage", "", "where they are published: an address")
	flag.Parse()

	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := run(ctx, *source, *out, *only, *version, from); err != nil {
		log.Fatal(err)
	}
}

func run(ctx context.Context, source, out, only, version string, from origin) error {
	if err := from.check(); err != nil {
		return err
	}
	r, err := newRelease(ctx, source, out)
	if err != nil {
		return err
	}
	r.origin, r.version = from, cmp.Or(version, r.version)
	if only != "" {
		system, arch, _ := strings.Cut(only, "/")
		if r.platforms = []platform{{system, arch}}; !slices.Contains(allPlatforms, r.platforms[0]) {
			return fmt.Errorf("%q is no platform; there are %s", only, platformNames())
		}
	}
	return r.make(ctx)
}
