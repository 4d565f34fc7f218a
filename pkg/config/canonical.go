package config

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"

	"github.com/swapgate/swapgate/pkg/swap"
)

// Canonical returns the specification as JSON in one fixed form: sorted keys, no white space, empty fields left out. Equal
// specifications have equal bytes, whatever the order of fields in the type.
func Canonical(spec swap.Spec) []byte {
	var fields any
	d := json.NewDecoder(bytes.NewReader(mustJSON(spec)))
	d.UseNumber()
	if err := d.Decode(&fields); err != nil {
		panic("canonical form of a specification: " + err.Error())
	}
	return mustJSON(fields)
}

// SHA256 returns the hash of the canonical form in hex, as swap.Request carries it.
func SHA256(spec swap.Spec) string {
	sum := sha256.Sum256(Canonical(spec))
	return hex.EncodeToString(sum[:])
}

// mustJSON encodes values that always can be encoded: a specification is plain data, and one with a number that is not
// finite is a bug of the caller.
func mustJSON(v any) []byte {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		panic("canonical form of a specification: " + err.Error())
	}
	return bytes.TrimSuffix(b.Bytes(), []byte("\n"))
}
