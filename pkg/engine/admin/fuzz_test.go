package admin

import (
	"context"
	"errors"
	"io"
	"net/http"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/require"

	"github.com/swapgate/swapgate/pkg/swap"
)

// one answers every request with the same reply.
type one struct {
	status int
	body   string
}

func (o one) RoundTrip(r *http.Request) (*http.Response, error) {
	return &http.Response{StatusCode: o.status, Body: io.NopCloser(strings.NewReader(o.body)), Request: r}, nil
}

// FuzzReplies feeds any reply to every engine: it is never a panic, and every error is one of the package's own that does not hold
// the token.
func FuzzReplies(f *testing.F) {
	for _, body := range []string{
		`{"success":false,"message":"hush-token shapes differ"}`, `{"error":{"message":"no"}}`, `{"error":"no"}`,
		`{"data":[{"id":"m","root":"/w"}]}`,
		`{"data":[{"id":"m","status":{"value":"loaded"}}]}`, `{"model_path":"/w"}`, `[{"name":"m","version":"1","state":"READY"}]`,
		`{"models":[{"name":"m:latest","digest":"x"}]}`, `{"running":[{"model":"m","state":"ready"}]}`, `{"is_sleeping":true}`,
		`{"per_engine_checksum":"x"}`, `null`, `{"data":null}`, "\xff", "{\"error\":{\"\":\"\xd6\"}}",
	} {
		f.Add(200, body)
		f.Add(404, body)
		f.Add(500, body)
	}
	f.Fuzz(func(t *testing.T, status int, body string) {
		m := model("m", "/w", "1")
		a := api{base: "http://x", token: "hush-token", http: &http.Client{Transport: one{status: status, body: body}}}
		for _, method := range swap.InPlaceMethods {
			e, err := newAdapter(method, a)
			require.NoError(t, err)
			_, looked := e.look(context.Background(), m)
			_, digested := e.digest(context.Background(), m)
			_, released := e.release(context.Background(), m, model("n", "", ""))
			for _, err := range []error{looked, digested, released} {
				known := err == nil
				for _, kind := range []error{ErrRefused, ErrUnreachable, ErrUnsupported, ErrNotProven} {
					known = known || errors.Is(err, kind)
				}
				require.True(t, known, "%v", err)
				if err != nil {
					require.NotContains(t, err.Error(), "hush-token")
					require.True(t, utf8.ValidString(err.Error()))
				}
			}
		}
	})
}
