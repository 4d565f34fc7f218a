package engine

import (
	"fmt"
	"log/slog"
	"strings"
)

// Target is one inference server and the model asked of it. However it is printed, logged or marshalled, the key is
// never part of it.
type Target struct {
	// URL is the base URL, without /v1.
	URL string `json:"url"`
	// Model is the name under which the server lists the model.
	Model string `json:"model"`
	// Key is the resolved bearer key; empty sends none.
	Key string `json:"-"`
}

// String is the URL and the model, with a note in place of the key.
func (t Target) String() string {
	key := "no key"
	if t.Key != "" {
		key = "key redacted"
	}
	return fmt.Sprintf("%s (model %s, %s)", t.URL, t.Model, key)
}

// Format prints String for every verb, so that %+v and %#v cannot show the key.
func (t Target) Format(f fmt.State, _ rune) {
	_, _ = fmt.Fprint(f, t.String())
}

// LogValue is what slog shows of a target.
func (t Target) LogValue() slog.Value {
	return slog.GroupValue(slog.String("url", t.URL), slog.String("model", t.Model), slog.Bool("key", t.Key != ""))
}

func (t Target) path(p string) string { return strings.TrimRight(t.URL, "/") + p }
