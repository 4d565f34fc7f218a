package config

import (
	"fmt"
	"math/big"
	"strconv"
	"strings"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/santhosh-tekuri/jsonschema/v6/kind"
)

// valueMessage says for a person what the schema's keyword demands of the value and what the value is.
func valueMessage(p path, n *node, fault jsonschema.ErrorKind) string {
	got := show(p, n.raw)
	switch k := fault.(type) {
	case *kind.Type:
		return typeMessage(p, n, k.Want[0])
	case *kind.Enum:
		return enumMessage(p, n, k.Want)
	case *kind.Pattern:
		return patternMessage(p, n)
	case *kind.Minimum:
		return fmt.Sprintf("must be at least %s, got %s", number(k.Want), got)
	case *kind.Maximum:
		return fmt.Sprintf("must be at most %s, got %s", number(k.Want), got)
	case *kind.ExclusiveMinimum:
		return fmt.Sprintf("must be greater than %s, got %s", number(k.Want), got)
	case *kind.ExclusiveMaximum:
		return fmt.Sprintf("must be less than %s, got %s", number(k.Want), got)
	case *kind.MinItems:
		return "must have at least one entry; delete the line for the default"
	case *kind.MaxItems:
		return fmt.Sprintf("must have at most %d entries, got %d", k.Want, k.Got)
	case *kind.MinLength:
		return "must not be empty"
	}
	return "is not valid: " + strings.Join(fault.KeywordPath(), "/")
}

func typeMessage(p path, n *node, want string) string {
	got := describe(p, n)
	_, isText := n.scalar.(string)
	switch {
	case isSecretRef(p):
		return "must name where the worker finds the secret, {env: NAME} or {file: /path}; the secret itself is never written down"
	case isDuration(p):
		return durationMessage(n, got)
	case want == "string" && n.kind == scalarNode:
		return fmt.Sprintf("must be text, got %s; put it in quotes", got)
	case (want == "integer" || want == "number") && isText && !n.unquoted && isNumber(n.raw):
		return fmt.Sprintf("must be a number, got %s; remove the quotes", got)
	case want == "boolean" && isText:
		return fmt.Sprintf("must be true or false, got %s", got)
	}
	return fmt.Sprintf("must be %s, got %s", typeNames[want], got)
}

var typeNames = map[string]string{
	"string":  "text",
	"integer": "a whole number",
	"number":  "a number",
	"boolean": "true or false",
	"array":   "a list",
	"object":  "a group of fields",
}

func durationMessage(n *node, got string) string {
	if isNumber(n.raw) {
		return fmt.Sprintf("must be a duration with a unit, got %s; write %ss for seconds", got, n.raw)
	}
	if strings.ContainsRune(n.raw, ':') {
		return fmt.Sprintf("must be a duration such as 12m30s, got %s", got)
	}
	return fmt.Sprintf("must be a duration such as 500ms, 30s or 1m30s, got %s", got)
}

func enumMessage(p path, n *node, want []any) string {
	allowed := make([]string, len(want))
	for i, w := range want {
		allowed[i] = fmt.Sprint(w)
	}
	message := fmt.Sprintf("must be %s, got %s", either(allowed), describe(p, n))
	if best, ok := closest(n.raw, allowed); ok {
		message += `; did you mean "` + best + `"?`
	}
	return message
}

func patternMessage(p path, n *node) string {
	got := show(p, n.raw)
	switch field := p.field(); {
	case isDuration(p):
		return durationMessage(n, got)
	case strings.HasSuffix(field, ".env"):
		return envMessage(n.raw)
	case strings.HasSuffix(field, ".file"), strings.HasSuffix(field, ".admin_ca"):
		return fmt.Sprintf("must be an absolute path, got %s", got)
	case field == "target", field == "rollout.route.command.name":
		return "must be 1 to 62 lower-case letters, digits and hyphens, with a letter or digit at both ends, got " + got
	case field == "store.bucket":
		return "must be a bucket name: 3 to 63 lower-case letters, digits, dots and hyphens, got " + got
	case field == "notify.slack.channel":
		return "must be one channel name or id, got " + got
	}
	return "must start with http:// or https://, got " + got
}

func envMessage(value string) string {
	if looksSecret(value) {
		return literalSecret
	}
	return "must be the name of an environment variable: letters, digits and underscores"
}

// describe names a value with its type, as in: the number 7.
func describe(p path, n *node) string {
	if n.kind != scalarNode {
		return kindOf(n)
	}
	switch n.scalar.(type) {
	case string:
		return show(p, n.raw)
	case bool:
		return n.raw
	}
	return "the number " + n.raw
}

func kindOf(n *node) string {
	switch n.kind {
	case objectNode:
		return "a group of fields"
	case listNode:
		return "a list"
	}
	return "a single value"
}

func number(r *big.Rat) string {
	if r.IsInt() {
		return r.Num().String()
	}
	f, _ := r.Float64()
	return strconv.FormatFloat(f, 'g', -1, 64)
}

func isNumber(text string) bool {
	_, ok := parseNumber(text)
	return ok
}

// either joins alternatives: a, b or c.
func either(words []string) string {
	if len(words) < 2 {
		return strings.Join(words, "")
	}
	return strings.Join(words[:len(words)-1], ", ") + " or " + words[len(words)-1]
}
