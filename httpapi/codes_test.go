package httpapi_test

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"maps"
	"net/http"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/google/go-cmp/cmp"

	"example.org/library"
	"example.org/library/internal/testkit"
	"example.org/library/internal/validation"
)

// codes are the stable words in the source, by the schema that lists them.
type codes map[string]map[string]bool

func (c codes) add(schema string, value ast.Expr) {
	literal, ok := value.(*ast.BasicLit)
	if !ok || literal.Kind != token.STRING {
		return
	}
	word, _ := strconv.Unquote(literal.Value)
	if c[schema] == nil {
		c[schema] = map[string]bool{}
	}
	c[schema][word] = true
}

// visit finds codes where this project writes them: in constants whose names
// begin with Code, in members Code, and in front of the reasons of bookfile, userfile, table and marc.
func (c codes) visit(n ast.Node) bool {
	switch n := n.(type) {
	case *ast.ValueSpec:
		schema := "ErrorCode"
		if typ, ok := n.Type.(*ast.Ident); ok && typ.Name == "DetailCode" {
			schema = "DetailCode"
		}
		if strings.HasPrefix(strings.ToLower(n.Names[0].Name), "code") && len(n.Values) == 1 {
			c.add(schema, n.Values[0])
		}
	case *ast.CompositeLit:
		var typ string
		switch t := n.Type.(type) {
		case *ast.Ident:
			typ = t.Name
		case *ast.SelectorExpr:
			typ = t.Sel.Name
		}
		if (typ == "reason" || typ == "Reason" || typ == "FileError" || typ == "BrokenError") && len(n.Elts) > 0 {
			c.add("ErrorCode", n.Elts[0])
		}
		for _, element := range n.Elts {
			if pair, ok := element.(*ast.KeyValueExpr); ok && strings.EqualFold(fmt.Sprint(pair.Key), "code") {
				schema := "ErrorCode"
				if typ == "Warning" {
					schema = "Warning"
				}
				c.add(schema, pair.Value)
			}
		}
	}
	return true
}

func codesInSource(t *testing.T) codes {
	t.Helper()
	found := codes{}
	for _, folder := range []string{"..", "../auth", "../auth/dpop", "../bookfile", "../userfile", "../userimport", "../internal/table", "../internal/marc", "../internal/validation", "internal/input", "internal/importfile", "."} {
		files, err := filepath.Glob(filepath.Join(folder, "*.go"))
		testkit.NoError(t, err)
		for _, name := range files {
			if strings.HasSuffix(name, "_test.go") {
				continue
			}
			file, err := parser.ParseFile(token.NewFileSet(), name, nil, 0)
			testkit.NoError(t, err)
			ast.Inspect(file, found.visit)
		}
	}
	return found
}

func TestContractNamesEveryCodeAndNoOther(t *testing.T) {
	t.Parallel()
	c, err := theContract()
	testkit.NoError(t, err)
	found := codesInSource(t)
	delete(found["ErrorCode"], "client_gone") // for the log alone: nobody is there to read it
	for _, word := range []string{"not_a_book", "not_a_person"} {
		delete(found["ErrorCode"], word) // of JSON files, which only the terminal client reads
	}
	schemas := c.doc.Components.Schemas
	for name, enum := range map[string]*openapi3.Schema{
		"ErrorCode":  schemas["ErrorCode"].Value,
		"DetailCode": schemas["DetailCode"].Value,
		"Warning":    schemas["Warning"].Value.Properties["code"].Value,
	} {
		var listed []string
		for _, word := range enum.Enum {
			listed = append(listed, word.(string))
		}
		slices.Sort(listed)
		if diff := cmp.Diff(slices.Sorted(maps.Keys(found[name])), listed); diff != "" {
			t.Errorf("%s (-source +contract)\n%s", name, diff)
		}
		for _, word := range listed {
			if name == "DetailCode" && !strings.Contains(enum.Description, "| `"+word+"` |") {
				t.Errorf("%s: the table does not explain %s", name, word)
			}
		}
	}
}

func TestContractNamesTheLimitsOfTheDomain(t *testing.T) {
	t.Parallel()
	c, err := theContract()
	testkit.NoError(t, err)
	for _, name := range []string{"Book", "BookInput", "User", "UserInput", "Me"} {
		properties := c.doc.Components.Schemas[name].Value.Properties
		for field, limit := range map[string]int{
			"title": library.MaxTitle, "isbn": library.MaxISBN, "description": library.MaxDescription,
			"email": library.MaxEmail, "firstName": library.MaxName, "lastName": library.MaxName,
		} {
			if p := properties[field]; p != nil && (p.Value.MaxLength == nil || *p.Value.MaxLength != uint64(limit)) {
				t.Errorf("%s.%s: the contract does not say maxLength: %d", name, field, limit)
			}
		}
		if p := properties["authors"]; p != nil {
			if most, each := *p.Value.MaxItems, *p.Value.Items.Value.MaxLength; most != library.MaxAuthors || each != library.MaxAuthor {
				t.Errorf("%s.authors: at most %d of %d characters, want %d of %d", name, most, each, library.MaxAuthors, library.MaxAuthor)
			}
		}
	}
	if most := *c.doc.Components.Parameters["Limit"].Value.Schema.Value.Max; most != library.MaxPage {
		t.Errorf("limit: at most %v, want %d", most, library.MaxPage)
	}
}

func TestEveryDetailHasACodeAndItsLimit(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	long := strings.Repeat("x", 10_001)
	for _, c := range []struct {
		as, method, path, body string
		want                   string // field, code and limit of each detail
	}{
		{peterParker, "POST", "/books", `{}`, "title required"},
		{peterParker, "POST", "/books", `{"title":1,"authors":["",null],"identifier":"x"}`, "identifier not_a_uuid, title not_a_string, authors not_an_array_of_strings"},
		{peterParker, "POST", "/books", `{"title":"a\u0000","isbn":"` + long[:21] + `","description":"` + long + `","authors":["` + long[:256] + `"]}`,
			"title control_character, isbn too_long 20, description too_long 10000, authors[0] too_long 255"},
		{peterParker, "POST", "/books", `{"title":"T","authors":["A"` + strings.Repeat(`,"A"`, 50) + `]}`, "authors too_many 50"},
		{peterParker, "POST", "/books", `{"title":"T","title":"U"}`, "title duplicate"},
		{peterParker, "PUT", "/books/" + wayneID, `{"title":"T","identifier":"` + kentID + `"}`, "identifier differs_from_path"},
		{clarkKent, "POST", "/users", `{"email":"x","firstName":"` + long[:101] + `","lastName":"B","roles":["X"]}`, "email not_an_email, firstName too_long 100, roles[0] unknown_value"},
		{bruceWayne, "GET", "/books?limit=1001&sort=x&borrowed=x&cursor=x&identifier=f9b&isbn=-&other=1", "",
			"isbn not_an_isbn, identifier not_an_identifier_start 4, borrowed not_a_boolean, sort unknown_value, limit out_of_range 1000, cursor not_a_cursor, other unknown_parameter"},
		{bruceWayne, "GET", "/books?q=" + long[:1001] + "&author=%00&isbn=" + long[:21], "", "q too_long 1000, author not_text, isbn too_long 20"},
		{bruceWayne, "GET", "/books?q=" + manyWords(33) + "&author=a&author=b", "", "q too_many 32, author duplicate"},
		{bruceWayne, "GET", "/books?%zz", "", "query malformed"},
	} {
		a := w.send(t, request{as: c.as, method: c.method, path: c.path, body: c.body})
		var got []string
		for _, d := range a.error().Details {
			text := d.Field + " " + d.Code
			if d.Limit != 0 {
				text += " " + strconv.Itoa(d.Limit)
			}
			if (d.Least != nil) != (d.Code == string(validation.CodeOutOfRange)) {
				t.Errorf("%s: the smallest number is %v", text, d.Least)
			}
			got = append(got, text)
		}
		if a.status != http.StatusBadRequest || strings.Join(got, ", ") != c.want {
			t.Errorf("%s %.80s %.80s: %d %s, want 400 %s", c.method, c.path, c.body, a.status, strings.Join(got, ", "), c.want)
		}
	}
}
