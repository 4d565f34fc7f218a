package engine

import (
	"compress/gzip"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"unicode"

	"github.com/stretchr/testify/require"

	"github.com/swapgate/swapgate/pkg/swap"
)

// typed answers with a body of some type.
func typed(kind, body string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.Header()["Content-Type"] = nil
		if kind != "" {
			w.Header().Set("Content-Type", kind)
		}
		_, _ = io.WriteString(w, body)
	}
}

func moved(status int, location string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Location", location)
		w.WriteHeader(status)
	}
}

func zipped(w http.ResponseWriter, _ *http.Request) {
	w.Header().Set("Content-Type", "text/event-stream")
	w.Header().Set("Content-Encoding", "gzip")
	z := gzip.NewWriter(w)
	_, _ = io.WriteString(z, "data: [DONE]\n\n")
	_ = z.Close()
}

const (
	completion = `{"object":"chat.completion","choices":[{"message":{"content":"my secret"}}]}`
	asked      = "POST /v1/chat/completions was "
)

// An answer that is no stream is told from others, so that people know what to change.
func TestAnswersThatAreNoStream(t *testing.T) {
	cases := []struct {
		name              string
		handler           http.HandlerFunc
		cause             string
		unread, remedy    string
		notInTheStatement string
	}{
		{
			name: "a whole completion", handler: typed("application/json; charset=utf-8", completion), cause: wholeText,
			unread: asked + `answered with the whole completion at once as application/json: it does not stream; ` +
				`it begins "{\"object\":\"chat.completion\"`,
			remedy: "turn streaming on at the server",
		},
		{
			name: "a whole completion of no type", handler: typed("", "\n "+completion), cause: wholeText,
			unread: "at once as no Content-Type: it does not stream", remedy: "turn streaming on at the server",
		},
		{
			name: "an error with status 200", handler: typed("application/json", `{"error":{"message":"no"}}`), cause: wholeText,
			unread: `answered with an error as application/json: it does not stream; it begins "{\"error\":{\"message\":\"no\"}}"`,
		},
		{
			name: "a web page", handler: typed("text/html", "<html>\n<script>alert(1)"), cause: pageText,
			unread: asked + `answered with a web page (text/html); it begins "<html>\n<script>alert(1)"`, remedy: "login page",
		},
		{
			name: "a web page as text", handler: typed("text/plain", "<!DOCTYPE HTML><title>"), cause: pageText,
			unread: `a web page (text/plain)`, remedy: "login page",
		},
		{
			name: "compressed", handler: zipped, cause: compressedText,
			unread: asked + `answered with Content-Encoding "gzip", though no compression was asked for`, remedy: "turn compression off",
		},
		{
			name: "text", handler: typed("text/plain", "no such\x1b[2J model\u202e"), cause: "the answer is not an event stream",
			unread: asked + `answered with text/plain and no event in it; it begins "no such\x1b[2J model\u202e"`, remedy: "workload.api",
		},
		{
			name: "a malformed chunk", handler: typed("text/event-stream", "data: {\"choices\":[}\n\n"),
			cause:  "a chunk is not the JSON of a streamed completion",
			unread: `in the answer to POST /v1/chat/completions, a chunk is not the JSON of a streamed completion: "{\"choices\":[}"`,
			remedy: "besides the chunks",
		},
		{
			name: "a long chunk", handler: typed("text/event-stream", "data: <"+strings.Repeat("a", 5000)+"\n\n"),
			cause:  "a chunk is not the JSON of a streamed completion",
			unread: `"<` + strings.Repeat("a", mostQuoted-1) + `…"`,
		},
		{
			name: "a redirect", handler: moved(308, "https://me:pw@other.example/v1/chat/completions?token=x#y"), cause: "HTTP 308 is not a stream",
			unread: asked + `redirected with HTTP 308 to "https://other.example/v1/chat/completions"`,
			remedy: `use the URL "https://other.example" for this endpoint`, notInTheStatement: "token",
		},
		{
			name: "a redirect on the host", handler: moved(307, "/login?next=/v1"), cause: "HTTP 307 is not a stream",
			unread: asked + `redirected with HTTP 307 to "http://stub/login"`, remedy: "use that URL",
		},
		{
			name: "a long redirect", handler: moved(302, "/"+strings.Repeat("x", 9000)), cause: "HTTP 302 is not a stream",
			unread: `xxx…"`, remedy: "use that URL",
		},
		{name: "a redirect to what is no URL", handler: moved(301, "http://[::"), cause: "HTTP 301 is not a stream", unread: "to what is no URL"},
		{
			name: "it quotes the key", handler: typed("text/plain", "bad key hunter2-and-more"), cause: "the answer is not an event stream",
			unread: "(not shown: it holds the key)", notInTheStatement: "hunter2",
		},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			onSyntheticTime(t, c.handler, ClientOptions{}, func(t *testing.T, client *Client) {
				t.Helper()
				client.target.Key = "hunter2-and-more"
				o := client.Stream(t.Context(), ask())
				require.Equal(t, swap.ParseError, o.Outcome)
				require.Equal(t, c.cause, o.Err)
				require.Contains(t, o.Unread, c.unread)
				require.Contains(t, o.Remedy, c.remedy)
				require.Less(t, len(o.Unread)+len(o.Remedy), 600)
				if c.notInTheStatement != "" {
					require.NotContains(t, o.Unread+o.Remedy, c.notInTheStatement)
				}
			})
		})
	}
}

func TestOnlyAnAnswerThatCannotBeReadIsExplained(t *testing.T) {
	for _, handler := range []http.HandlerFunc{
		stub{script: three}.ServeHTTP, answer(400, completion), stub{script: "@10 C(a) Z"}.ServeHTTP, answer(204, ""),
		typed("application/json", "data: {\"choices\":[{\"delta\":{\"content\":\"a\"},\"finish_reason\":\"stop\"}]}\n\ndata: [DONE]\n\n"),
	} {
		onSyntheticTime(t, handler, ClientOptions{}, func(t *testing.T, c *Client) {
			t.Helper()
			o := c.Stream(t.Context(), ask())
			require.Empty(t, o.Unread+o.Remedy)
		})
	}
}

// What the probe says of a server whose pages are right and whose completions are no stream.
func TestProbeSaysWhatIsNoStream(t *testing.T) {
	for name, c := range map[string]struct {
		handler http.HandlerFunc
		want    string
	}{
		"whole": {
			typed("application/json", completion),
			"%s answered with HTTP 200 (" + asked + "answered with the whole completion at once as application/json: it does not stream; it begins ",
		},
		"page": {
			typed("text/html", "<html>"),
			"%s answered with HTTP 200 (" + asked + `answered with a web page (text/html); it begins "<html>"); look at`,
		},
		"moved": {
			moved(308, "https://other.example/v1/chat/completions"),
			"%s answered with HTTP 308 (" + asked + `redirected with HTTP 308 to "https://other.example/v1/chat/completions"); ` +
				`use the URL "https://other.example" for this endpoint: redirects are not followed`,
		},
		"zipped": {zipped, "%s answered with HTTP 200 (" + asked + `answered with Content-Encoding "gzip"`},
	} {
		t.Run(name, func(t *testing.T) {
			srv := httptest.NewServer(withModels(c.handler))
			defer srv.Close()
			_, err := probe(t, Target{URL: srv.URL, Model: "m"})
			var refused *RefusedError
			require.ErrorAs(t, err, &refused)
			require.ErrorContains(t, err, fmt.Sprintf(c.want, srv.URL))
		})
	}
}

// withModels lists the model, and leaves all posts to another handler.
func withModels(post http.HandlerFunc) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		switch {
		case r.Method == http.MethodPost:
			post(w, r)
		case r.URL.Path == "/v1/models":
			_, _ = io.WriteString(w, models("acme", ""))
		default:
			w.WriteHeader(http.StatusNotFound)
		}
	}
}

func hangUp(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) }

// A server that hangs up was reached: to look for a network is the wrong advice.
func TestProbeOfAServerThatHangsUp(t *testing.T) {
	for name, handler := range map[string]http.HandlerFunc{"at once": hangUp, "at a completion": withModels(hangUp)} {
		t.Run(name, func(t *testing.T) {
			srv := httptest.NewServer(handler)
			defer srv.Close()
			_, err := probe(t, Target{URL: srv.URL, Model: "m"})
			var unreachable *UnreachableError
			require.ErrorAs(t, err, &unreachable)
			require.ErrorContains(t, err, srv.URL+": the server closed the connection without an answer: ")
			require.NotContains(t, err.Error(), "cannot reach")
		})
	}
}

func TestProbeOfAServerWithoutModels(t *testing.T) {
	for name, c := range map[string]struct {
		handler http.HandlerFunc
		want    string
	}{
		"a page": {typed("text/html", "<html>login"), `a web page (text/html); it begins "<html>login"`},
		"text":   {typed("text/plain", "hi"), `text/plain and not with a list of models; it begins "hi"`},
	} {
		t.Run(name, func(t *testing.T) {
			srv := httptest.NewServer(c.handler)
			defer srv.Close()
			_, err := probe(t, Target{URL: srv.URL, Model: "m"})
			require.ErrorContains(t, err, " answered with HTTP 200 (GET /v1/models was answered with "+c.want)
			front := httptest.NewServer(http.RedirectHandler(srv.URL+"/signin?return=x", http.StatusFound))
			defer front.Close()
			_, err = probe(t, Target{URL: front.URL, Model: "m"})
			require.ErrorContains(t, err, fmt.Sprintf(", after a redirect to %q)", srv.URL+"/signin"))
		})
	}
}

func FuzzQuote(f *testing.F) {
	f.Add([]byte("a\n\x00\"\u202e\xff"), "key")
	f.Add([]byte(strings.Repeat("\xff", 300)), "")
	f.Fuzz(func(t *testing.T, b []byte, key string) {
		shown := Target{Key: key}.quote(b)
		require.LessOrEqual(t, len(shown), mostQuoted+len(`"…"`))
		require.False(t, strings.ContainsFunc(shown, func(r rune) bool { return !unicode.IsPrint(r) }), "%q", shown)
	})
}

func FuzzRedirect(f *testing.F) {
	f.Add("https://u:p@h/v1?q#f")
	f.Fuzz(func(t *testing.T, location string) {
		u := Target{URL: "http://h/base"}.redirect("/v1/chat/completions", 307, http.Header{"Location": {location}})
		require.Less(t, len(u.what)+len(u.next), 600)
		require.Equal(t, location == "", u.what == "")
		require.False(t, strings.ContainsFunc(u.what+u.next, func(r rune) bool { return !unicode.IsPrint(r) }), "%q", u)
	})
}
