package main

import (
	"bytes"
	"time"

	cdx "github.com/CycloneDX/cyclonedx-go"
)

const bomSuffix = ".cdx.json"

// bom is the software bill of materials of a program, in the format CycloneDX.
func (r *release) bom(p platform, components []component) ([]byte, error) {
	var entries []cdx.Component
	for _, m := range components {
		entries = append(entries, cdx.Component{
			Type: cdx.ComponentTypeLibrary, BOMRef: m.url, Name: m.name, Version: m.version, PackageURL: m.url, Licenses: licensed(m.licence),
		})
	}
	list := cdx.NewBOM()
	list.Components = &entries
	list.Metadata = &cdx.Metadata{
		Timestamp: r.time.Format(time.RFC3339),
		Component: &cdx.Component{
			Type: cdx.ComponentTypeApplication, BOMRef: "library", Name: "library", Version: r.version, Licenses: licensed("Apache-2.0"),
			Properties: &[]cdx.Property{{Name: "platform", Value: p.String()}},
		},
	}
	var out bytes.Buffer
	err := cdx.NewBOMEncoder(&out, cdx.BOMFileFormatJSON).SetPretty(true).Encode(list)
	return out.Bytes(), err
}

func licensed(expression string) *cdx.Licenses { return &cdx.Licenses{{Expression: expression}} }
