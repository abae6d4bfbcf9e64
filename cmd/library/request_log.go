package main

import (
	"slices"
	"strconv"
	"time"

	"example.org/library/httpapi"
)

// The forms of a request's event, written by hand: 0.14 µs a line without an
// allocation, where slog takes 1.6 µs (BenchmarkRequestEvents). A request that is
// answered from the cache takes little more than that in all.
//
// None of the fields can hold a character that would have to be quoted:
// identifiers, routes, codes and addresses are all made of others.

func appendText(b []byte, e *httpapi.Event) []byte {
	b = append(b, "time="...)
	b = appendTime(b, e.Time)
	b = append(b, " level=INFO msg=request requestId="...)
	b = append(b, e.RequestID...)
	b = append(b, " method="...)
	b = append(b, e.Method...)
	b = textField(b, " route=", e.Route)
	b = append(b, " status="...)
	b = strconv.AppendInt(b, int64(e.Status), 10)
	b = append(b, " took="...)
	b = appendMillis(b, e.Took)
	b = append(b, "ms bytes="...)
	b = strconv.AppendInt(b, int64(e.Bytes), 10)
	b = textField(b, " user=", e.User)
	b = textField(b, " code=", e.Code)
	b = textField(b, " remote=", e.Remote)
	return append(b, '\n')
}

func textField(b []byte, name, value string) []byte {
	if value == "" {
		value = `""`
	}
	return append(append(b, name...), value...)
}

func appendJSON(b []byte, e *httpapi.Event) []byte {
	b = append(b, `{"time":"`...)
	b = appendTime(b, e.Time)
	b = append(b, `","level":"INFO","msg":"request","requestId":"`...)
	b = append(b, e.RequestID...)
	b = append(b, `","method":"`...)
	b = append(b, e.Method...)
	b = append(b, `","status":`...)
	b = strconv.AppendInt(b, int64(e.Status), 10)
	b = append(b, `,"tookMs":`...)
	b = appendMillis(b, e.Took)
	b = append(b, `,"bytes":`...)
	b = strconv.AppendInt(b, int64(e.Bytes), 10)
	b = jsonField(b, `,"route":"`, e.Route)
	b = jsonField(b, `,"user":"`, e.User)
	b = jsonField(b, `,"code":"`, e.Code)
	b = jsonField(b, `,"remote":"`, e.Remote)
	return append(b, "}\n"...)
}

func jsonField(b []byte, name, value string) []byte {
	return append(append(append(b, name...), value...), '"')
}

// appendMillis writes a duration in milliseconds, to the microsecond.
func appendMillis(b []byte, d time.Duration) []byte {
	us := d.Microseconds()
	b = strconv.AppendInt(b, us/1000, 10)
	b = append(b, '.')
	b = append(b, byte('0'+us/100%10), byte('0'+us/10%10), byte('0'+us%10))
	return b
}

// appendTime writes a time as the logger does: 2006-01-02T15:04:05.000Z07:00. It takes
// RFC3339Nano, which is formatted fastest, with one digit more than is wanted, since zeros
// at the end are left out.
func appendTime(b []byte, t time.Time) []byte {
	end := len(b) + len("2006-01-02T15:04:05.000")
	b = t.Truncate(time.Millisecond).Add(time.Millisecond/10).AppendFormat(b, time.RFC3339Nano)
	return slices.Delete(b, end, end+1)
}
