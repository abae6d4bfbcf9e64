package marc

import (
	"bytes"
	"encoding/xml"
	"io"

	"golang.org/x/text/encoding/charmap"
)

// maxDepth is the deepest nesting of elements in a record; MARCXML needs three.
const maxDepth = 8

func (c *xmlCutter) parse(raw []byte) (Record, error) {
	if c.latin {
		decoded, err := charmap.Windows1252.NewDecoder().Bytes(raw)
		if err != nil {
			return Record{}, errNotXML
		}
		raw = decoded
	}
	return parseXML(raw)
}

// parseXML reads one record element. It knows only the entities of XML itself.
func parseXML(raw []byte) (Record, error) {
	p := xmlParser{in: xml.NewDecoder(bytes.NewReader(raw))}
	for {
		token, err := p.in.Token()
		if err == io.EOF {
			break
		}
		if err != nil {
			return Record{}, errNotXML
		}
		if err := p.take(token); err != nil {
			return Record{}, err
		}
	}
	if len(p.Fields) == 0 {
		return Record{}, errNoFields
	}
	for i := len(p.Leader); i < leaderLength; i++ {
		p.Leader += " "
	}
	return p.Record, nil
}

type xmlParser struct {
	in *xml.Decoder
	Record
	depth, subfields int

	field Field  // the current field
	code  byte   // of the current subfield
	text  []byte // since the element began
}

func (p *xmlParser) take(token xml.Token) error {
	switch t := token.(type) {
	case xml.StartElement:
		if p.depth++; p.depth > maxDepth {
			return errTooDeep
		}
		p.text = p.text[:0]
		if p.begin(t); p.subfields > maxSubfields {
			return errSubfields
		}
	case xml.CharData:
		p.text = append(p.text, t...)
	case xml.EndElement:
		p.depth--
		p.end(t.Name.Local)
		p.text = p.text[:0]
	case xml.Directive:
		return errNotXML
	}
	return nil
}

func (p *xmlParser) begin(e xml.StartElement) {
	switch e.Name.Local {
	case "controlfield", "datafield":
		p.field = Field{Tag: attribute(e, "tag")}
		if !IsControl(p.field.Tag) {
			p.field.Ind1, p.field.Ind2 = indicator([]byte(attribute(e, "ind1")), 0), indicator([]byte(attribute(e, "ind2")), 0)
		}
	case "subfield":
		p.subfields++
		p.code = indicator([]byte(attribute(e, "code")), 0)
	}
}

func (p *xmlParser) end(name string) {
	switch name {
	case "leader":
		p.Leader = p.unicodeText(p.text)
	case "subfield":
		if p.code != ' ' && !IsControl(p.field.Tag) {
			p.field.Subfields = append(p.field.Subfields, Subfield{p.code, p.unicodeText(p.text)})
		}
	case "controlfield", "datafield":
		if IsControl(p.field.Tag) {
			p.field.Value = p.unicodeText(p.text)
		}
		p.add(p.field)
		p.field = Field{}
	}
}

func attribute(e xml.StartElement, name string) string {
	for _, a := range e.Attr {
		if a.Name.Local == name {
			return a.Value
		}
	}
	return ""
}
