package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
)

// setFields sets fields of a JSON struct by assignments such as "stall.share=0.1". A value that is not JSON is a string.
func setFields(target any, assignments []string) error {
	for _, a := range assignments {
		name, value, ok := strings.Cut(a, "=")
		if !ok || name == "" {
			return fmt.Errorf("%q: want NAME=VALUE", a)
		}
		dec := json.NewDecoder(bytes.NewReader(nested(strings.Split(name, "."), value)))
		dec.DisallowUnknownFields()
		if err := dec.Decode(target); err != nil {
			return fmt.Errorf("%q: %w", a, err)
		}
	}
	return nil
}

// nested writes {"a":{"b":value}}.
func nested(names []string, value string) []byte {
	doc := []byte(value)
	if !json.Valid(doc) {
		doc = quote(value)
	}
	for i := len(names) - 1; i >= 0; i-- {
		doc = fmt.Appendf(nil, "{%s:%s}", quote(names[i]), doc)
	}
	return doc
}

func quote(s string) []byte {
	// A string is always valid JSON.
	b, _ := json.Marshal(s)
	return b
}
