package desk

import (
	"errors"
	"io"
	"net/http"
	"net/url"

	"github.com/slack-go/slack"

	"github.com/swapgate/swapgate/pkg/secret"
)

// maxBody bounds a request: the message with the button, encoded as a form, is far smaller.
const maxBody = 512 << 10

// Handler hears the interactions that Slack sends over HTTP: each is signed with the app's signing secret (v0, HMAC-SHA256), and not
// older than 5 minutes. A request that is sent again within that time asks for the same update, which is done once.
type Handler struct {
	Desk *Desk
	// Secret is the app's signing secret.
	Secret secret.Value
}

// ServeHTTP answers 200 to every sound request before anything is done, as Slack wants.
func (h Handler) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxBody))
	if err != nil {
		h.refuse(w, r, http.StatusRequestEntityTooLarge, "the request is too long, or broke off")
		return
	}
	if err := h.verify(r.Header, body); err != nil {
		h.refuse(w, r, http.StatusUnauthorized, "the signature does not hold, or is too old")
		return
	}
	form, err := url.ParseQuery(string(body))
	if err != nil {
		h.refuse(w, r, http.StatusBadRequest, "no form")
		return
	}
	press, err := Parse([]byte(form.Get("payload")))
	switch {
	case errors.Is(err, ErrNotOurs):
		return
	case err != nil:
		h.refuse(w, r, http.StatusBadRequest, err.Error())
	case !h.Desk.Accept(r.Context(), press):
		h.refuse(w, r, http.StatusServiceUnavailable, "too many presses at a time; press again")
	}
}

// verify checks signature and time.
func (h Handler) verify(header http.Header, body []byte) error {
	v, err := slack.NewSecretsVerifier(header, h.Secret.Reveal())
	if err != nil {
		return err
	}
	if _, err := v.Write(body); err != nil {
		return err
	}
	return v.Ensure()
}

func (h Handler) refuse(w http.ResponseWriter, r *http.Request, status int, why string) {
	h.Desk.Log.WarnContext(r.Context(), "refused a request to Slack's endpoint", "status", status, "why", why, "from", r.RemoteAddr)
	http.Error(w, why, status)
}
