// Package secret finds credentials where a worker runs. A request only names them; the value never leaves this process.
package secret

import (
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"strings"

	"github.com/swapgate/swapgate/pkg/swap"
)

const (
	redacted = "[redacted]"
	// maxFileBytes is far above any credential, so that a wrong path cannot fill the memory.
	maxFileBytes = 64 << 10
)

// ErrInvalid says that a reference names no usable credential: unset, unreadable, empty or malformed.
var ErrInvalid = errors.New("no usable credential")

// Value is a credential that hides itself from fmt, slog and every encoder that knows encoding.TextMarshaler (JSON,
// YAML). The zero Value is the empty credential.
type Value struct {
	// A pointer, because fmt prints unexported fields of a struct without asking their methods.
	text *string
}

// Reveal returns the credential itself.
func (v Value) Reveal() string {
	if v.text == nil {
		return ""
	}
	return *v.text
}

// Empty reports whether there is no credential.
func (v Value) Empty() bool { return v.Reveal() == "" }

// Format prints a placeholder for every verb.
func (v Value) Format(s fmt.State, _ rune) { _, _ = io.WriteString(s, redacted) }

// LogValue gives slog a placeholder.
func (v Value) LogValue() slog.Value { return slog.StringValue(redacted) }

// MarshalText gives encoders a placeholder.
func (v Value) MarshalText() ([]byte, error) { return []byte(redacted), nil }

// Resolve reads the credential that ref names; a nil ref gives the empty Value. Surrounding white space of a file is
// dropped. Every error matches ErrInvalid and names the variable or the file, never the content.
func Resolve(ref *swap.SecretRef) (Value, error) {
	switch {
	case ref == nil:
		return Value{}, nil
	case ref.Env != "" && ref.File != "":
		return Value{}, fmt.Errorf("credential: %w: both env %s and file %s are given; name one", ErrInvalid, ref.Env, ref.File)
	case ref.Env != "":
		return fromEnv(ref.Env)
	case ref.File != "":
		return fromFile(ref.File)
	}
	return Value{}, fmt.Errorf("credential: %w: neither env nor file is given; name one", ErrInvalid)
}

func fromEnv(name string) (Value, error) {
	text := os.Getenv(name)
	if text == "" {
		return Value{}, fmt.Errorf("credential: %w: environment variable %s is unset or empty; set it for the worker",
			ErrInvalid, name)
	}
	return checked(text, "environment variable "+name)
}

func fromFile(path string) (Value, error) {
	if !filepath.IsAbs(path) {
		return Value{}, fmt.Errorf("credential: %w: file %s: the path is not absolute", ErrInvalid, path)
	}
	f, err := os.Open(path) //nolint:gosec // the operator names the file, and only the worker's own user can read it
	if err != nil {
		return Value{}, fmt.Errorf("credential: %w: %w", ErrInvalid, err)
	}
	defer func() { _ = f.Close() }()
	content, err := io.ReadAll(io.LimitReader(f, maxFileBytes+1))
	if err != nil {
		return Value{}, fmt.Errorf("credential: %w: %w", ErrInvalid, err)
	}
	if len(content) > maxFileBytes {
		return Value{}, fmt.Errorf("credential: %w: file %s is larger than %d bytes", ErrInvalid, path, maxFileBytes)
	}
	text := strings.TrimSpace(string(content))
	if text == "" {
		return Value{}, fmt.Errorf("credential: %w: file %s is empty", ErrInvalid, path)
	}
	return checked(text, "file "+path)
}

// checked refuses control characters: they cannot be sent in a header, and net/http would report them far from here.
func checked(text, where string) (Value, error) {
	if strings.ContainsFunc(text, func(r rune) bool { return r < ' ' || r == 0x7f }) {
		return Value{}, fmt.Errorf("credential: %w: %s holds a line break or another control character", ErrInvalid, where)
	}
	return Value{text: &text}, nil
}
