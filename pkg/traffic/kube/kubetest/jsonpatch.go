package kubetest

import (
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"
)

// operation is one operation of a JSON Patch (RFC 6902).
type operation struct {
	Op    string `json:"op"`
	Path  string `json:"path"`
	Value any    `json:"value"`
}

var errPatch = errors.New("the patch does not apply")

// applyPatch returns the patched copy of an object. All operations apply, or none.
func applyPatch(o Object, ops []operation) (Object, error) {
	var doc any = clone(o)
	for _, op := range ops {
		if !strings.HasPrefix(op.Path, "/") {
			return nil, fmt.Errorf("%w: path %q", errPatch, op.Path)
		}
		var err error
		if doc, err = change(doc, strings.Split(op.Path[1:], "/"), op); err != nil {
			return nil, err
		}
	}
	return clone(doc.(Object)), nil
}

// change applies an operation below a value and returns what the value becomes.
func change(value any, path []string, op operation) (any, error) {
	step := strings.NewReplacer("~1", "/", "~0", "~").Replace(path[0])
	switch v := value.(type) {
	case Object:
		return inObject(v, step, path[1:], op)
	case []any:
		return inList(v, step, path[1:], op)
	}
	return nil, fmt.Errorf("%w: %s is below a value that holds nothing", errPatch, op.Path)
}

func inObject(o Object, key string, rest []string, op operation) (any, error) {
	old, found := o[key]
	if len(rest) > 0 {
		inner, err := change(old, rest, op)
		if err == nil {
			o[key] = inner
		}
		return o, err
	}
	switch {
	case op.Op == "add", op.Op == "replace" && found:
		o[key] = op.Value
	case op.Op == "remove" && found:
		delete(o, key)
	case op.Op == "test" && found && reflect.DeepEqual(old, op.Value):
	default:
		return nil, fmt.Errorf("%w: %s %s", errPatch, op.Op, op.Path)
	}
	return o, nil
}

func inList(list []any, step string, rest []string, op operation) (any, error) {
	if step == "-" && op.Op == "add" && len(rest) == 0 {
		return append(list, op.Value), nil
	}
	i, err := strconv.Atoi(step)
	if err != nil || i < 0 || i > len(list) || (i == len(list) && (op.Op != "add" || len(rest) > 0)) {
		return nil, fmt.Errorf("%w: %s %s", errPatch, op.Op, op.Path)
	}
	if len(rest) > 0 {
		inner, err := change(list[i], rest, op)
		if err == nil {
			list[i] = inner
		}
		return list, err
	}
	switch {
	case op.Op == "add":
		return slices.Insert(list, i, op.Value), nil
	case op.Op == "replace":
		list[i] = op.Value
	case op.Op == "remove":
		return slices.Delete(list, i, i+1), nil
	case op.Op == "test" && reflect.DeepEqual(list[i], op.Value):
	default:
		return nil, fmt.Errorf("%w: %s %s", errPatch, op.Op, op.Path)
	}
	return list, nil
}
