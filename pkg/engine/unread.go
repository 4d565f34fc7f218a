package engine

import (
	"bytes"
	"fmt"
	"io"
	"mime"
	"net/http"
	"net/url"
	"strings"

	"github.com/swapgate/swapgate/pkg/engine/eventstream"
	"github.com/swapgate/swapgate/pkg/engine/protocol"
)

// unread is an answer, or a part of one, that is not what was asked for, in words for people.
type unread struct {
	// cause is one of a few texts, for counting; empty leaves what the outcome says.
	cause string
	// what was answered, on which request, and what to do next.
	what, next string
}

// The causes of answers that are no streams.
const (
	compressedText = "the answer is compressed"
	pageText       = "the answer is a web page"
	wholeText      = "the answer came whole and is not a stream"
)

// opening keeps the beginning of a body.
type opening struct {
	io.Reader
	kept []byte
}

const openingBytes = 256

func newOpening(body io.Reader) *opening {
	return &opening{Reader: body, kept: make([]byte, 0, openingBytes)}
}

func (o *opening) Read(b []byte) (int, error) {
	n, err := o.Reader.Read(b)
	if room := openingBytes - len(o.kept); room > 0 {
		o.kept = append(o.kept, b[:min(n, room)]...)
	}
	return n, err
}

// explain says of an answer with the outcome ParseError what it was.
func (s *shot) explain(t *transcript, header http.Header, begin []byte) {
	u := s.unread(t, header, begin)
	if u.cause != "" {
		t.o.Err = u.cause
	}
	t.o.Unread, t.o.Remedy = u.what, u.next
}

func (s *shot) unread(t *transcript, header http.Header, begin []byte) unread {
	asked, kind := "POST "+s.path, mediaType(header)
	coding := header.Get("Content-Encoding")
	streaming := s.proto.Framing() == eventstream.Events
	from := s.client.target
	switch {
	case coding != "" && !strings.EqualFold(coding, "identity"):
		return unread{
			cause: compressedText,
			what:  fmt.Sprintf("%s was answered with Content-Encoding %s, though no compression was asked for", asked, from.quote([]byte(coding))),
			next:  "turn compression off for this path, at the server or at the proxy in front of it: it also holds tokens back",
		}
	case isPage(kind, begin):
		return from.page(asked, kind, begin)
	case t.events == 0 && streaming && isJSON(kind, begin):
		return from.whole(asked, kind, begin)
	case len(t.bad) > 0:
		return unread{
			what: fmt.Sprintf("in the answer to %s, %s: %s", asked, protocol.ErrMalformed, from.quote(t.bad)),
			next: "look at what the server, or a proxy in front of it, sends besides the chunks of the answer",
		}
	case t.events > 0:
		return unread{}
	}
	return unread{
		what: fmt.Sprintf("%s was answered with %s and no event in it%s", asked, named(kind), from.beginning(begin)),
		next: "check that the URL and workload.api are those of an inference server that streams",
	}
}

func (t Target) page(asked, kind string, begin []byte) unread {
	return unread{
		cause: pageText,
		what:  fmt.Sprintf("%s was answered with a web page (%s)%s", asked, named(kind), t.beginning(begin)),
		next:  "look at what answers at this URL: a login page, a dashboard or a proxy stands in the place of the inference server",
	}
}

// whole is an answer that came in one piece.
func (t Target) whole(asked, kind string, begin []byte) unread {
	what := "the whole completion at once"
	if bytes.Contains(begin, []byte(`"error"`)) {
		what = "an error"
	}
	return unread{
		cause: wholeText,
		what:  fmt.Sprintf("%s was answered with %s as %s: it does not stream%s", asked, what, named(kind), t.beginning(begin)),
		next:  "turn streaming on at the server, or use a URL without the proxy that gathers the stream",
	}
}

// redirect names the URL to which a request was sent on; the zero unread if there is none.
func (t Target) redirect(path string, status int, header http.Header) unread {
	from, err := url.Parse(t.path(path))
	if err != nil || header.Get("Location") == "" {
		return unread{}
	}
	to, err := from.Parse(header.Get("Location"))
	if err != nil {
		return unread{what: fmt.Sprintf("POST %s was redirected with HTTP %d to what is no URL", path, status), next: nextMoved}
	}
	u := unread{
		what: fmt.Sprintf("POST %s was redirected with HTTP %d to %s", path, status, t.quote([]byte(public(to)))), next: nextMoved,
	}
	if base, ok := strings.CutSuffix(public(to), path); ok {
		u.next = fmt.Sprintf("use the URL %s for this endpoint: redirects are not followed", t.quote([]byte(base)))
	}
	return u
}

const nextMoved = "use that URL, or one that leads to the server without a redirect: redirects are not followed"

// public is a URL without what may be secret in it.
func public(u *url.URL) string {
	shown := *u
	shown.User, shown.RawQuery, shown.ForceQuery, shown.Fragment, shown.RawFragment = nil, "", false, "", ""
	return shown.String()
}

// beginning quotes how an answer begins.
func (t Target) beginning(begin []byte) string {
	if begin = bytes.TrimLeft(begin, " \t\r\n"); len(begin) == 0 {
		return ""
	}
	return "; it begins " + t.quote(begin)
}

// mediaType is the lower-case type of an answer; empty if it names none.
func mediaType(header http.Header) string {
	kind, _, err := mime.ParseMediaType(header.Get("Content-Type"))
	if err != nil || len(kind) > mostQuoted {
		return ""
	}
	return kind
}

func named(kind string) string {
	if kind == "" {
		return "no Content-Type"
	}
	return kind
}

func isPage(kind string, begin []byte) bool {
	return kind == "text/html" || kind == "application/xhtml+xml" ||
		(kind != eventStreamType && bytes.HasPrefix(bytes.ToLower(bytes.TrimSpace(begin)), []byte("<!doctype html")))
}

const eventStreamType = "text/event-stream"

func isJSON(kind string, begin []byte) bool {
	return kind == "application/json" || strings.HasSuffix(kind, "+json") ||
		(kind != eventStreamType && bytes.HasPrefix(bytes.TrimSpace(begin), []byte("{")))
}
