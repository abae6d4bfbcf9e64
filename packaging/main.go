package main

import (
	"context"
	"flag"
	"log"
	"os"
	"os/signal"
	"strings"
)

func main() {
	log.SetFlags(0)
	source := flag.String("source", "..", "the folder of the project")
	out := flag.String("out", "../build/dist", "where to write; what is there is deleted")
	only := flag.String("only", "", "one platform alone, such as linux/amd64")
	flag.Parse()

	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := run(ctx, *source, *out, *only); err != nil {
		log.Fatal(err)
	}
}

func run(ctx context.Context, source, out, only string) error {
	r, err := newRelease(ctx, source, out)
	if err != nil {
		return err
	}
	if only != "" {
		system, arch, _ := strings.Cut(only, "/")
		r.platforms = []platform{{system, arch}}
	}
	return r.make(ctx)
}
