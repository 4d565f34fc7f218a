package config

import (
	"errors"
	"slices"
	"strings"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/santhosh-tekuri/jsonschema/v6/kind"
)

// checkSchema reports everything that breaks the JSON Schema.
func checkSchema(r *reporter) {
	var invalid *jsonschema.ValidationError
	if !errors.As(compiledSchema().Validate(r.root.plain()), &invalid) {
		return
	}
	faults := leaves(invalid, nil)
	slices.SortStableFunc(faults, func(a, b *jsonschema.ValidationError) int {
		return slices.Compare(a.InstanceLocation, b.InstanceLocation)
	})
	for _, f := range faults {
		reportFault(r, f)
	}
}

// leaves flattens nested errors into those that name a keyword.
func leaves(e *jsonschema.ValidationError, found []*jsonschema.ValidationError) []*jsonschema.ValidationError {
	if len(e.Causes) == 0 {
		return append(found, e)
	}
	for _, c := range e.Causes {
		found = leaves(c, found)
	}
	return found
}

func reportFault(r *reporter, fault *jsonschema.ValidationError) {
	p := path(fault.InstanceLocation)
	switch k := fault.ErrorKind.(type) {
	case *kind.Required:
		for _, name := range k.Missing {
			r.value(p.child(name), "is required")
		}
	case *kind.AdditionalProperties:
		slices.Sort(k.Properties)
		for _, name := range k.Properties {
			r.name(p, name, r.root.find(p.child(name)).key, unknownField(p, name))
		}
	default:
		r.value(p, "%s", valueMessage(p, r.root.find(p), fault.ErrorKind))
	}
}

func unknownField(group path, name string) string {
	message := "unknown field " + showName(name)
	var known []string
	if s := schemaAt(group); s != nil {
		for n := range s.Properties {
			known = append(known, n)
		}
	}
	if best, ok := closest(name, known); ok {
		return message + `; did you mean "` + best + `"?`
	}
	slices.Sort(known)
	return message + "; known here: " + strings.Join(known, ", ")
}
