package main

import (
	"bytes"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/google/licensecheck"
)

// licencesFile has the licences of others: most of them ask that a program is given away
// with their text.
const licencesFile = "THIRD_PARTY_LICENSES.txt"

// notices is the text of that file.
func notices(components []component) []byte {
	var out bytes.Buffer
	out.WriteString("The program contains the following software of others.\n")
	for _, p := range components {
		fmt.Fprintf(&out, "\n%s\n%s %s (%s)\n\n", strings.Repeat("=", 80), p.name, p.version, p.licence)
		for _, text := range p.texts {
			out.WriteString(strings.TrimSpace(text) + "\n\n")
		}
	}
	return out.Bytes()
}

// readLicence reads the licences and notices in a folder, and recognizes them. A licence that
// is not recognized is an error: somebody has to read it before the program is published.
func (p *component) readLicence(folder string) error {
	entries, err := os.ReadDir(folder)
	if err != nil {
		return fmt.Errorf("the licence of %s: %w", p.name, err)
	}
	found := map[string]bool{}
	for _, e := range entries {
		name := strings.ToUpper(e.Name())
		licence := strings.HasPrefix(name, "LICEN") || strings.HasPrefix(name, "COPYING")
		if e.IsDir() || !licence && name != "NOTICE" && name != "PATENTS" {
			continue
		}
		text, err := os.ReadFile(filepath.Join(folder, e.Name()))
		if err != nil {
			return err
		}
		p.texts = append(p.texts, string(text))
		// A list of the licences of others also names what is not linked; what is
		// linked has an entry of its own.
		if licence && !strings.Contains(name, "3RD") && !strings.Contains(name, "THIRD") {
			for _, match := range licensecheck.Scan(text).Match {
				found[match.ID] = true
			}
		}
	}
	if len(found) == 0 {
		return fmt.Errorf("the licence of %s in %s is not recognized", p.name, folder)
	}
	p.licence = strings.Join(slices.Sorted(maps.Keys(found)), " AND ")
	return nil
}
