package config

import (
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"
)

const literalSecret = "looks like the secret itself; set it as an environment variable of the worker and write the variable's " +
	"name here. Replace the secret if others could read this file"

// secretShape matches the prefixes of common credentials. After an underscore it asks for a long run, because hf_token
// may be the name of a variable.
var secretShape = regexp.MustCompile(
	`^(sk|rk|pk|gsk|xai|nvapi|hf|gh[pos]|glpat|github_pat|xox[abeoprs]|xapp)(-[A-Za-z0-9_-]{8,}|_[A-Za-z0-9]{16,})|` +
		`^(AKIA|ASIA)[A-Z0-9]{12,}$|^eyJ[A-Za-z0-9_-]{10,}|^Bearer\s|-----BEGIN`)

// looksSecret reports whether text is probably a credential and must not be repeated in a message.
func looksSecret(text string) bool {
	if secretShape.MatchString(text) {
		return true
	}
	return len(text) >= 32 && strings.ContainsAny(text, "0123456789") && strings.ContainsAny(text, "abcdefghijklmnopqrstuvwxyz") &&
		!strings.ContainsAny(text, " ./:-")
}

// secretRefs are the fields that hold a swap.SecretRef.
var secretRefs = []string{"api_key", "admin_token", "token", "signing_key", "access_key", "secret_key"}

func isSecretRef(p path) bool {
	return len(p) > 0 && slices.Contains(secretRefs, p[len(p)-1])
}

// show quotes a value for a message, shortened; text that may be or hold a secret is left out.
func show(p path, text string) string {
	for _, e := range p {
		if slices.Contains(secretRefs, e) {
			return "a value that is not shown"
		}
	}
	if looksSecret(text) || strings.Contains(text, "@") {
		return "a value that is not shown"
	}
	if isNumber(text) {
		return text
	}
	return strconv.Quote(shorten(text))
}

// showName quotes the name of a field for a message.
func showName(name string) string {
	if looksSecret(name) {
		return "(name not shown: it looks like a secret)"
	}
	return strconv.Quote(shorten(name))
}

func shorten(text string) string {
	const limit = 60
	if utf8.RuneCountInString(text) <= limit {
		return text
	}
	return string([]rune(text)[:limit]) + "…"
}
