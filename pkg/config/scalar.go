package config

import (
	"fmt"
	"math"
	"regexp"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v4"
)

var (
	decimalInteger = regexp.MustCompile(`^[-+]?(0|[1-9][0-9]*)$`)
	octalLike      = regexp.MustCompile(`^[-+]?0[0-9]+$`)
	decimalNumber  = regexp.MustCompile(`^[-+]?([0-9]+(\.[0-9]*)?|\.[0-9]+)([eE][-+]?[0-9]+)?$`)
)

func (b *treeBuilder) scalar(y *yaml.Node, p path) *node {
	quoted := yaml.SingleQuotedStyle | yaml.DoubleQuotedStyle | yaml.LiteralStyle | yaml.FoldedStyle
	n := &node{pos: place(y), key: place(y), raw: y.Value, unquoted: y.Style&quoted == 0}
	switch y.ShortTag() {
	case "!!null":
		b.refuse(y, p, "has no value; give it one or delete the line"+commentAdvice(p))
		return nil
	case "!!bool":
		n.scalar = strings.EqualFold(y.Value, "true")
	case "!!int", "!!float":
		number, ok := parseNumber(y.Value)
		if !ok {
			b.refuse(y, p, fmt.Sprintf("write numbers in plain decimal digits, or text in quotes, not %s", show(p, y.Value)))
			return nil
		}
		n.scalar = number
	default:
		n.scalar = y.Value
	}
	return n
}

// commentAdvice helps where a value was lost because # starts a comment.
func commentAdvice(p path) string {
	if p.field() == "notify.slack.channel" {
		return ` (# starts a comment in YAML: write "#channel" in quotes)`
	}
	return ""
}

// parseNumber reads plain decimal notation only: YAML readers disagree about 0777, 1_000, 0x1F and .inf.
func parseNumber(text string) (any, bool) {
	if decimalInteger.MatchString(text) {
		if i, err := strconv.ParseInt(text, 10, 64); err == nil {
			return i, true
		}
		if u, err := strconv.ParseUint(strings.TrimPrefix(text, "+"), 10, 64); err == nil {
			return u, true
		}
	}
	if !decimalNumber.MatchString(text) || octalLike.MatchString(text) {
		return nil, false
	}
	f, err := strconv.ParseFloat(text, 64)
	return f, err == nil && !math.IsInf(f, 0)
}

// otherMeaning matches plain text that YAML 1.1 readers take for a boolean, a base-60 number or a date.
var otherMeaning = regexp.MustCompile(
	`^(?i:y|n|yes|no|on|off)$|^[-+]?[0-9][0-9_]*(:[0-5]?[0-9])+(\.[0-9_]*)?$|^[0-9]{4}-[0-9]{1,2}-[0-9]{1,2}([Tt ].*)?$`)

// checkAmbiguousText reports unquoted text that other YAML readers understand differently.
func checkAmbiguousText(r *reporter) {
	r.root.walk(nil, func(p path, n *node) {
		if text, ok := n.scalar.(string); ok && n.unquoted && otherMeaning.MatchString(text) {
			r.value(p, "write %q in quotes: many YAML readers take it for %s", text, otherType(text))
		}
	})
}

func otherType(text string) string {
	switch {
	case strings.ContainsRune(text, ':') && !strings.ContainsRune(text, '-'):
		return "a number in base 60"
	case strings.ContainsRune(text, '-'):
		return "a date"
	}
	return "true or false"
}
