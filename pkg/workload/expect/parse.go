package expect

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"strings"
)

// most bounds the conditions of an expectation and the alternatives of a condition: all are tried on the load client.
const most = 100

// Parse reads the JSON of an expectation: a condition, or a list of them. A condition is an object with exactly one of contains,
// equals and regexp, whose value is a text or a list of texts of which any will do, or of json, which is true. The error is for a
// person and holds nothing of the texts but what is wrong with a pattern.
func Parse(data []byte) (*Expectation, error) {
	list := []json.RawMessage{data}
	if isList(data) {
		list = nil
		if err := json.Unmarshal(data, &list); err != nil {
			return nil, errShape
		}
	}
	if len(list) == 0 || len(list) > most {
		return nil, fmt.Errorf("must have from 1 to %d conditions", most)
	}
	e := &Expectation{conditions: make([]condition, 0, len(list))}
	for _, one := range list {
		c, err := parseCondition(one)
		if err != nil {
			return nil, err
		}
		e.conditions = append(e.conditions, c)
	}
	return e, nil
}

func isList(data []byte) bool { return bytes.HasPrefix(bytes.TrimLeft(data, " \t\r\n"), []byte("[")) }

var (
	errShape = errors.New(`must be such as {"contains": "…"}, with exactly one of contains, equals, regexp and json, or a list of those`)
	errJSON  = errors.New("json must be true: leave it out where anything may be answered")
	errEmpty = errors.New("a text that is expected must not be empty")
	errTexts = fmt.Errorf("contains, equals and regexp take a text, or a list of 1 to %d texts of which any will do", most)
)

func parseCondition(data []byte) (condition, error) {
	var fields map[string]json.RawMessage
	if err := json.Unmarshal(data, &fields); err != nil || len(fields) != 1 {
		return nil, errShape
	}
	for kind, value := range fields {
		switch kind {
		case "contains":
			return eachText(value, func(text string) (func(string) bool, error) { return contains(text), nil })
		case "equals":
			return eachText(value, func(text string) (func(string) bool, error) { return equals(text), nil })
		case "regexp":
			return eachText(value, pattern)
		case "json":
			if string(value) != "true" {
				return nil, errJSON
			}
			return condition{isJSON}, nil
		}
	}
	return nil, errShape
}

func pattern(text string) (func(string) bool, error) {
	re, err := regexp.Compile(text)
	if err != nil {
		return nil, fmt.Errorf("regexp must be a regular expression (RE2): %w", err)
	}
	return matches(re), nil
}

// eachText makes an alternative of each text of a value.
func eachText(value json.RawMessage, of func(text string) (func(string) bool, error)) (condition, error) {
	texts := make([]*string, 1)
	target := any(&texts[0])
	if isList(value) {
		target = &texts
	}
	if err := json.Unmarshal(value, target); err != nil || len(texts) == 0 || len(texts) > most {
		return nil, errTexts
	}
	var c condition
	for _, text := range texts {
		if text == nil {
			return nil, errTexts
		}
		if strings.TrimSpace(*text) == "" {
			return nil, errEmpty
		}
		holds, err := of(*text)
		if err != nil {
			return nil, err
		}
		c = append(c, holds)
	}
	return c, nil
}
