package sheets

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/xuri/excelize/v2"
	"golang.org/x/crypto/bcrypt"
)

const (
	curator  = "peter.parker@example.com"
	password = "secret"
	timeout  = 3 * time.Minute // for a busy machine
)

// awkward are notes of copies.
var awkward = []string{
	"=1+1", "+49 30 1", "-1", "@x", `=HYPERLINK("http://localhost/";"x")`, "'=1", "''", `"quoted"`, "a,b;c", "a\nb", "a\n\n\"b\",\n;c", "007", "1e5", "2026-01-02", "1,5",
	"TRUE", "Ünïcödé 日本 𝄞", "a\tb", `\`, `"`, "a '", strings.Repeat("long ", 190) + "end",
}

// start runs the program with the sample data, and returns its address.
func start(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	program := filepath.Join(dir, "library")
	build := exec.Command("go", "build", "-o", program, "./cmd/library")
	build.Dir = "../.."
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("the program does not build: %s", out)
	}
	hash, err := bcrypt.GenerateFromPassword([]byte(password), bcrypt.MinCost)
	if err != nil {
		t.Fatal(err)
	}
	passwords := filepath.Join(dir, "htpasswd")
	if err := os.WriteFile(passwords, fmt.Appendf(nil, "%s:%s\n", curator, hash), 0o600); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(program, "serve", "--addr", "127.0.0.1:0", "--management-addr", "127.0.0.1:0", "--auth", "basic", "--htpasswd", passwords,
		"--database", "sqlite:"+filepath.Join(dir, "library.db"), "--sample-data", "--drain", "0s")
	cmd.Env = []string{"HOME=" + dir}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	cmd.Stderr = cmd.Stdout
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { cmd.Process.Kill(); cmd.Wait() })
	return listening(t, out)
}

// listening reads the address in the log, and then the rest of it, so that the program never waits.
func listening(t *testing.T, log io.Reader) string {
	t.Helper()
	found := make(chan string, 1)
	go func() {
		var text []byte
		for b := make([]byte, 4096); ; {
			n, err := log.Read(b)
			text = append(text, b[:n]...)
			if _, after, ok := strings.Cut(string(text), "basePath="); ok && strings.Contains(after, "\n") {
				before, _, _ := strings.Cut(string(text), " basePath=")
				path, _, _ := strings.Cut(after, " ")
				found <- "http://" + before[strings.LastIndex(before, "addr=")+len("addr="):] + path
				io.Copy(io.Discard, log)
			}
			if err != nil {
				return
			}
		}
	}()
	select {
	case address := <-found:
		return address
	case <-time.After(timeout):
		t.Fatal("the program does not listen")
		return ""
	}
}

func send(t *testing.T, method, address string, body any) []byte {
	t.Helper()
	text, err := json.Marshal(body)
	if err != nil {
		t.Fatal(err)
	}
	r, err := http.NewRequest(method, address, bytes.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	r.SetBasicAuth(curator, password)
	if body != nil {
		r.Header.Set("Content-Type", "application/json")
	}
	resp, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	answer, err := io.ReadAll(resp.Body)
	if err != nil || resp.StatusCode >= 300 {
		t.Fatalf("%s %s: %d %s %v", method, address, resp.StatusCode, answer, err)
	}
	return answer
}

// python reads a file with Python's csv.
func python(t *testing.T, file, separator string) (rows [][]string) {
	t.Helper()
	const script = `import csv, json, sys
with open(sys.argv[1], newline='', encoding='utf-8-sig') as f: json.dump(list(csv.reader(f, delimiter=sys.argv[2], strict=True)), sys.stdout)`
	out, err := exec.Command("/usr/bin/python3", "-c", script, file, separator).Output()
	if err == nil {
		err = json.Unmarshal(out, &rows)
	}
	if err != nil {
		t.Fatal(err)
	}
	return rows
}

// calc reads a file with LibreOffice, every column as text, and its workbook with excelize.
func calc(t *testing.T, file, separator string, columns int) (rows [][]string) {
	t.Helper()
	formats := make([]string, columns)
	for i := range formats {
		formats[i] = fmt.Sprint(i+1, "/2")
	}
	filter := fmt.Sprintf("CSV:%d,34,76,1,%s", separator[0], strings.Join(formats, "/"))
	dir := t.TempDir()
	cmd := exec.Command("soffice", "-env:UserInstallation=file://"+dir+"/profile", "--headless", "--infilter="+filter, "--convert-to", "xlsx", "--outdir", dir, file)
	cmd.Env = append(os.Environ(), "HOME="+dir, "LC_ALL=C.UTF-8")
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%s: %v", out, err)
	}
	book, err := excelize.OpenFile(filepath.Join(dir, strings.TrimSuffix(filepath.Base(file), ".csv")+".xlsx"))
	if err != nil {
		t.Fatal(err)
	}
	defer book.Close()
	if rows, err = book.GetRows(book.GetSheetName(0), excelize.Options{RawCellValue: true}); err != nil {
		t.Fatal(err)
	}
	for i := range rows { // it leaves out empty cells at the end
		rows[i] = append(rows[i], make([]string, columns-len(rows[i]))...)
	}
	return rows
}

func TestOtherProgramsReadSpreadsheets(t *testing.T) {
	base := start(t)
	var books []struct{ Identifier string }
	if err := json.Unmarshal(send(t, "GET", base+"/books?limit=1", nil), &books); err != nil {
		t.Fatal(err)
	}
	for i, note := range awkward {
		send(t, "POST", base+"/books/"+books[0].Identifier+"/copies", map[string]string{"barcode": fmt.Sprintf("%04d", i), "shelf": "A", "note": note})
	}
	for _, separator := range []string{",", ";"} {
		file := filepath.Join(t.TempDir(), "copies.csv")
		if err := os.WriteFile(file, send(t, "GET", base+"/copies?format=csv&separator="+separator, nil), 0o600); err != nil {
			t.Fatal(err)
		}
		rows := python(t, file, separator)
		note, barcode := slices.Index(rows[0], "note"), slices.Index(rows[0], "barcode")
		for i, want := range awkward {
			if strings.ContainsAny(want[:1], "=+-@") {
				want = "'" + want
			}
			if row := rows[i+1]; row[note] != want || row[barcode] != fmt.Sprintf("%04d", i) {
				t.Errorf("Python reads %q, want %q", row, want)
			}
		}
		read := calc(t, file, separator, len(rows[0]))
		if len(read) != len(rows) {
			t.Fatalf("LibreOffice reads %d rows, Python %d", len(read), len(rows))
		}
		for i := range rows {
			if !slices.Equal(read[i], rows[i]) {
				t.Errorf("LibreOffice reads %q, Python %q", read[i], rows[i])
			}
		}
	}
}
