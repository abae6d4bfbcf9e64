package bench

import (
	"fmt"
	"testing"
	"time"

	"example.org/library/internal/testkit"
)

// TestALoanByBarcodeComparedWithOneByBook lends one copy over and over, named by its barcode and by its
// book in turns, and compares the medians of the times. The returns in between do not count.
func TestALoanByBarcodeComparedWithOneByBook(t *testing.T) {
	for name, newDatabase := range databases {
		t.Run(name, func(t *testing.T) {
			url := newDatabase(t)
			addBooks(t, url, 1)
			_, addr, idp := startLibrary(t, url)
			curator, token := idp.Token(t, "peter.parker@example.com", "library_curator"), idp.Token(t, reader, "library_user")
			const id = "00000000-0000-4000-8000-0000000000ff"
			post(t, addr, "/books", curator, map[string]any{"identifier": id, "title": "Emma", "copies": 0})
			post(t, addr, "/books/"+id+"/copies", curator, map[string]any{"barcode": "LIB-1"})
			c, err := dial(addr)
			testkit.NoError(t, err)
			defer c.conn.Close()
			lend := [][]byte{
				requestWith("POST", base+"/loans", token, fmt.Sprintf(`{"book":%q}`, id)),
				requestWith("POST", base+"/loans", token, `{"barcode":"LIB-1"}`),
			}
			giveBack := request("POST", base+"/books/"+id+"/return", token)
			var times [2][]float64
			end := time.Now().Add(2 * *period * time.Duration(*rounds))
			for n := 0; time.Now().Before(end); n++ {
				began := time.Now()
				testkit.NoError(t, want(201)(c.do(lend[n%2])))
				times[n%2] = append(times[n%2], time.Since(began).Seconds()*1e3)
				testkit.NoError(t, want(200)(c.do(giveBack)))
			}
			byBook, byBarcode := median(times[0]), median(times[1])
			t.Logf("%s: POST /loans by book %.3f ms, with a barcode %.3f ms: %.2f times (target 1.1)", name, byBook, byBarcode, byBarcode/byBook)
		})
	}
}
