package httpapi

import (
	"fmt"
	"mime"
	"net/http"
	"reflect"
	"strconv"
	"strings"

	"example.org/library"
	"example.org/library/httpapi/internal/input"
	"example.org/library/httpapi/internal/responsecache"
	"example.org/library/internal/table"
	"example.org/library/internal/validation"
)

// spreadsheet is how the caller wants a list as CSV.
type spreadsheet struct {
	name  string // of the list
	comma byte
}

// page takes the parameters of a list that can be a spreadsheet: its form, and the place of a page of JSON.
func (x *exchange) page(in *input.Query, name string, order library.Order) (limit int, after *library.Cursor) {
	if x.takeSheet(in, name, "limit", "cursor"); x.sheet == nil {
		limit, after = in.Limit("limit"), in.Cursor("cursor", order)
	}
	return limit, after
}

// takeSheet takes the parameters by which a caller asks for a spreadsheet, which is always whole.
func (x *exchange) takeSheet(in *input.Query, name string, ofPages ...string) {
	x.w.Header().Set("Vary", varyUsual+", Accept")
	format := input.Choice(in, "format", exportNames[:2])
	if format == "json" || format == "" && !prefersCSV(x.r.Header) {
		refuse(in, "is only for spreadsheets; ask for them with format=csv", "separator")
		return
	}
	refuse(in, "does not go with a spreadsheet, which has the whole list; leave it out", ofPages...)
	x.sheet = &spreadsheet{name: name, comma: ','}
	if input.Choice(in, "separator", []string{",", ";"}) == ";" {
		x.sheet.comma = ';'
	}
}

// refuse complains about parameters that are given.
func refuse(in *input.Query, message string, names ...string) {
	for _, name := range names {
		if in.Has(name) {
			in.Take(name)
			in.Refuse(library.Detail{Field: name, Code: validation.CodeUnknownParameter, Message: message})
		}
	}
}

// prefersCSV reports whether Accept names CSV, and nothing else that the caller would like better.
func prefersCSV(h http.Header) bool {
	csv, best := 0.0, 0.0
	for wanted := range strings.SplitSeq(strings.Join(h["Accept"], ","), ",") {
		media, parameters, err := mime.ParseMediaType(wanted)
		if err != nil {
			continue
		}
		q := 1.0
		if text, given := parameters["q"]; given {
			q, _ = strconv.ParseFloat(text, 64) // 0 for a wrong one
		}
		if best = max(best, q); media == "text/csv" {
			csv = max(csv, q)
		}
	}
	return csv > 0 && csv == best
}

// sheetOf returns the sheet for records of a list, and gives the answer its name; nil if the caller wants JSON.
func sheetOf[W any](x *exchange, head *responsecache.Response) (*table.Sheet, error) {
	if x.sheet == nil {
		return nil, nil
	}
	p, err := x.server.service.Policy(x.r.Context(), x.actor)
	head.File = fmt.Sprintf("%s-%s.csv", x.sheet.name, p.Day(x.server.service.Now()))
	return table.NewSheet(reflect.TypeFor[W](), x.sheet.comma, p.Zone()), err
}
