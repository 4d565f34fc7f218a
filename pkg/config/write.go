package config

import (
	"encoding/json"
	"fmt"
	"reflect"
	"regexp"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v4"

	"github.com/swapgate/swapgate/pkg/swap"
)

// YAML writes a resolved specification as swap.yaml with every field that has a value or a default, in the order of the
// reference. Values that are the default carry the comment "default". Parsing the result gives the same specification. The
// error is that of a number that is not finite, which no file can give.
func YAML(spec swap.Spec) ([]byte, error) {
	root, err := treeOf(spec)
	if err != nil {
		return nil, err
	}
	w := writer{root: root, defaults: map[string]fieldDefault{}}
	for _, d := range defaults {
		w.defaults[d.field] = d
	}
	return yaml.Dump(w.object(reflect.ValueOf(spec), nil),
		yaml.WithIndent(2), yaml.WithCompactSeqIndent(false), yaml.WithLineWidth(-1))
}

func treeOf(spec swap.Spec) (*node, error) {
	data, err := json.Marshal(spec)
	if err != nil {
		return nil, err
	}
	var fields any
	if err := json.Unmarshal(data, &fields); err != nil {
		return nil, err
	}
	return fromPlain(fields), nil
}

type writer struct {
	// root is the specification as a tree, on which defaults that depend on other fields are computed.
	root     *node
	defaults map[string]fieldDefault
}

func (w writer) value(v reflect.Value, p path) *yaml.Node {
	if d, ok := v.Interface().(swap.Duration); ok {
		return scalar(short(d.Std()))
	}
	switch v.Kind() {
	case reflect.Pointer:
		return w.value(v.Elem(), p)
	case reflect.Struct:
		return w.object(v, p)
	case reflect.Slice:
		return w.list(v, p)
	case reflect.Bool:
		return scalar(strconv.FormatBool(v.Bool()))
	case reflect.Int:
		return scalar(strconv.FormatInt(v.Int(), 10))
	case reflect.Uint64:
		return scalar(strconv.FormatUint(v.Uint(), 10))
	case reflect.Float64:
		return scalar(strconv.FormatFloat(v.Float(), 'g', -1, 64))
	}
	return text(v.String())
}

func (w writer) object(v reflect.Value, p path) *yaml.Node {
	n := &yaml.Node{Kind: yaml.MappingNode, Tag: "!!map"}
	for i := range v.NumField() {
		name, _, _ := strings.Cut(v.Type().Field(i).Tag.Get("json"), ",")
		field, child := v.Field(i), p.child(name)
		d, hasDefault := w.defaults[child.field()]
		if field.IsZero() && (!hasDefault || !isScalar(field) || w.defaultOf(d, p) == nil) {
			continue
		}
		value := w.value(field, child)
		if hasDefault && value.Kind == yaml.ScalarNode && w.isDefault(value, d, p) {
			value.LineComment = "# default"
		}
		n.Content = append(n.Content, text(name), value)
	}
	return n
}

func isScalar(v reflect.Value) bool {
	switch v.Kind() {
	case reflect.Struct, reflect.Slice, reflect.Pointer:
		return false
	}
	return true
}

func (w writer) list(v reflect.Value, p path) *yaml.Node {
	n := &yaml.Node{Kind: yaml.SequenceNode, Tag: "!!seq"}
	for i := range v.Len() {
		n.Content = append(n.Content, w.value(v.Index(i), p.child(i)))
	}
	if v.Len() > 0 && isScalar(v.Index(0)) {
		n.Style = yaml.FlowStyle
	}
	return n
}

// defaultOf is what leaving the field out of its group would give; nil if it would stay empty.
func (w writer) defaultOf(d fieldDefault, group path) any {
	if g := w.root.find(group); g != nil {
		return d.in(g)
	}
	return nil
}

// isDefault reports whether the written value is what leaving the field out would give.
func (w writer) isDefault(value *yaml.Node, d fieldDefault, group path) bool {
	return value.Value == literal(w.defaultOf(d, group))
}

// literal formats a scalar default as it stands in a file.
func literal(v any) string {
	if f, ok := v.(float64); ok {
		return strconv.FormatFloat(f, 'g', -1, 64)
	}
	return fmt.Sprint(v)
}

func scalar(value string) *yaml.Node {
	return &yaml.Node{Kind: yaml.ScalarNode, Value: value}
}

// plainText matches text that every YAML reader takes for text.
var plainText = regexp.MustCompile(`^[A-Za-z/][A-Za-z0-9_./@+-]*(:[A-Za-z0-9_./@+-]+)*$`)

func text(value string) *yaml.Node {
	n := scalar(value)
	if !plainText.MatchString(value) || otherMeaning.MatchString(value) || keyword.MatchString(value) {
		n.Style = yaml.DoubleQuotedStyle
	}
	return n
}

var keyword = regexp.MustCompile(`^(?i:true|false|null)$`)
