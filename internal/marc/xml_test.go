package marc

import (
	"strings"
	"testing"
)

func TestXMLIsReadRecordByRecord(t *testing.T) {
	t.Parallel()
	one, two := inXML("One"), inXML("Two")
	longest := inXML("xxxxxxxxxx")
	longest = strings.Replace(longest, "<leader>", "<!--"+strings.Repeat("x", MaxRecord-len(longest)-7)+"--><leader>", 1)
	prefixed := strings.NewReplacer("</", "</marc:", "<", "<marc:").Replace(one)
	for _, c := range []struct{ rule, file, want string }{
		{"a collection", `<?xml version="1.0"?><collection xmlns="http://www.loc.gov/MARC21/slim">` + one + two + `</collection>`, "One Two"},
		{"a prefix", `<marc:collection xmlns:marc="http://www.loc.gov/MARC21/slim">` + prefixed + `</marc:collection>`, "One"},
		{"a record alone", one, "One"},
		{"the answer of a server", `<s:searchRetrieveResponse><s:records><s:record><s:recordData>` + one + `</s:recordData></s:record><s:record><s:recordData>` + two + `</s:recordData></s:record></s:records></s:searchRetrieveResponse>`, "One Two"},
		{"a comment with a record in it", `<collection><!-- <record> > -->` + one + `<!--></record>-->` + two, "One Two"},
		{"a section that is no markup", inXML("<![CDATA[O</record>ne]]>") + two, "O</record>ne Two"},
		{"a bracket in an attribute", strings.Replace(one, `tag="001"`, `tag="001" x="a>b"`, 1) + two, "One Two"},
		{"entities of XML", inXML("A &amp; B &#228;"), "A & B ä"},
		{"decomposed letters", inXML("a\u0308"), "ä"},
		{"Latin 1, as the file says", `<?xml version="1.0" encoding="ISO-8859-1"?>` + inXML("K\xf6nig"), "König"},
		{"not well-formed", inXML("<b>One") + two, "- Two"},
		{"an entity of its own", `<!DOCTYPE x [<!ENTITY a "<record>boom</record>">]>` + inXML("&a;") + two, "- Two"},
		{"a document type inside", inXML("<!DOCTYPE x>") + two, "- Two"},
		{"the end is missing", strings.TrimSuffix(one, "</record>") + two, "- Two"},
		{"the file ends", one + two[:40], "One -"},
		{"deep", inXML(strings.Repeat("<b>", 1000)+strings.Repeat("</b>", 1000)) + two, "- Two"},
		{"too long", inXML(strings.Repeat("x", MaxRecord)) + two, "- Two"},
		{"no fields", "<record></record>" + two, "- Two"},
		{"an element without content", "<collection><record/>" + two + "<m:record />", "- Two -"},
		{"an element without content in one without an end", strings.TrimSuffix(one, "</record>") + "<record/>" + two, "- - Two"},
		{"a quotation mark is missing", strings.Replace(one, `"245"`, `"245`, 1) + two, "- Two"},
		{"another one is missing", strings.Replace(one, `"a"`, `"a`, 1) + two, "- Two"},
		{"a quotation mark of the record is missing", strings.Replace(one, "<record>", `<record id="7>`, 1) + two, "- Two"},
		{"a quotation mark too many in the last tag", strings.Replace(one, "</record>", `</record '>`, 1) + two, "- Two"},
		{"a bracket is missing", strings.Replace(one, "</leader>", "</leader", 1) + two, "- Two"},
		{"the last bracket is missing", strings.TrimSuffix(one, ">") + two, "- Two"},
		{"a bracket too many", inXML("1 < 2") + two, "- Two"},
		{"one of the greatest length, and another", longest + two, strings.Repeat("x", 10) + " Two"},
		{"one that is too long and has no end", strings.TrimSuffix(inXML(strings.Repeat("x", MaxRecord)), "</subfield></datafield></record>") + two, "- Two"},
		{"not XML", "Dear Sir", ""},
	} {
		if got := titles(t, c.file, Options{Format: XML}); got != c.want {
			t.Errorf("%s: %q, want %q", c.rule, got, c.want)
		}
	}
}
