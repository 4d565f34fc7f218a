package config

import (
	"bytes"
	"encoding/json"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/invopop/jsonschema"
	"github.com/stretchr/testify/require"

	"github.com/swapgate/swapgate/pkg/swap"
)

const schemaHome = "https://swapgate.dev/schema/"

// generateSchema derives a schema from a type of package swap, its struct tags and its doc comments.
func generateSchema(t *testing.T, r *jsonschema.Reflector, v any, file, title string) *jsonschema.Schema {
	t.Helper()
	require.NoError(t, r.AddGoComments("github.com/swapgate/swapgate/pkg/config", "../swap", jsonschema.WithFullComment()))
	for name, comment := range r.CommentMap {
		r.CommentMap[name] = strings.ReplaceAll(comment, "\n", " ")
	}
	r.Anonymous = true
	s := r.Reflect(v)
	s.ID = jsonschema.ID(schemaHome + file)
	s.Title = title
	return s
}

// generateSpecSchema writes every type where it is used, so that each field carries its own default.
func generateSpecSchema(t *testing.T) *jsonschema.Schema {
	t.Helper()
	r := &jsonschema.Reflector{
		DoNotReference:             true,
		RequiredFromJSONSchemaTags: true,
		Mapper: func(typ reflect.Type) *jsonschema.Schema {
			if typ == reflect.TypeFor[swap.Duration]() {
				return &jsonschema.Schema{Type: "string", Pattern: durationPattern}
			}
			if typ == reflect.TypeFor[swap.CompatRule]() {
				return oneOf(swap.CompatRules...)
			}
			if typ == reflect.TypeFor[swap.RouteKind]() {
				return oneOf(swap.RouteKinds...)
			}
			return nil
		},
	}
	s := generateSchema(t, r, swap.Spec{}, "swap.json", "swapgate validation (swap.yaml)")
	s.Description = "One validation of a model swap. docs/configuration.md explains every field."
	property(s, "candidate").Required = nil
	annotate(s, "")
	return s
}

func property(s *jsonschema.Schema, name string) *jsonschema.Schema {
	p, _ := s.Properties.Get(name)
	return p
}

// annotate adds the defaults and the ranges of durations, which struct tags do not hold.
func annotate(s *jsonschema.Schema, field string) {
	for _, d := range defaults {
		if d.field == field && d.value != nil && !reflect.DeepEqual(d.value, emptyGroup) {
			s.Default = d.value
		}
	}
	if limits, ok := durationRanges[field]; ok {
		s.Description += " From " + short(limits.min) + " to " + short(limits.max) + "."
	}
	if s.Items != nil {
		annotate(s.Items, field+"[]")
	}
	if s.Properties == nil {
		return
	}
	for p := s.Properties.Oldest(); p != nil; p = p.Next() {
		child := p.Key
		if field != "" {
			child = field + "." + p.Key
		}
		annotate(p.Value, child)
	}
}

func generateVerdictSchema(t *testing.T) *jsonschema.Schema {
	t.Helper()
	return generateResultSchema(t, swap.Verdict{}, "verdict.json", "swapgate verdict (verdict.json)")
}

func generateWatchSchema(t *testing.T) *jsonschema.Schema {
	t.Helper()
	return generateResultSchema(t, swap.WatchResult{}, "watch.json", "swapgate watch of a baseline (the result of WatchBaseline)")
}

// generateResultSchema is the schema of a document that swapgate writes. Readers must expect fields that they do not know.
func generateResultSchema(t *testing.T, document any, file, title string) *jsonschema.Schema {
	t.Helper()
	r := &jsonschema.Reflector{
		AllowAdditionalProperties: true,
		ExpandedStruct:            true,
		Namer:                     definitionName,
		Mapper:                    resultType,
	}
	s := generateSchema(t, r, document, file, title)
	allowNull(s)
	for _, d := range s.Definitions {
		allowNull(d)
	}
	return s
}

func resultType(typ reflect.Type) *jsonschema.Schema {
	switch typ {
	case reflect.TypeFor[swap.Value]():
		return &jsonschema.Schema{
			AnyOf:       []*jsonschema.Schema{{Type: "number"}, {Type: "null"}},
			Description: "A number, or null where it could not be computed.",
		}
	case reflect.TypeFor[swap.Duration]():
		return &jsonschema.Schema{Type: "string", Pattern: durationPattern}
	case reflect.TypeFor[time.Time]():
		return &jsonschema.Schema{Type: "string", Format: "date-time"}
	case reflect.TypeFor[swap.Decision]():
		return oneOf(swap.Pass, swap.Fail, swap.Inconclusive, swap.Aborted, swap.Errored)
	case reflect.TypeFor[swap.DriftResponse]():
		return oneOf(swap.DriftSilent, swap.DriftInconclusive, swap.DriftNotify, swap.DriftFail, swap.DriftBlock)
	case reflect.TypeFor[swap.Severity]():
		return oneOf(swap.Harmless, swap.Notable, swap.Blocking)
	case reflect.TypeFor[swap.Action]():
		return oneOf(swap.ActionHold, swap.ActionAdvance, swap.ActionPromote, swap.ActionRollback, swap.ActionStop)
	case reflect.TypeFor[swap.Says]():
		return oneOf(swap.SaysFires, swap.SaysSilent, swap.SaysCannotTell)
	case reflect.TypeFor[swap.OutcomeCounts]():
		return outcomeCounts()
	}
	return nil
}

func oneOf[T any](values ...T) *jsonschema.Schema {
	s := &jsonschema.Schema{Type: "string"}
	for _, v := range values {
		s.Enum = append(s.Enum, v)
	}
	return s
}

func outcomeCounts() *jsonschema.Schema {
	s := &jsonschema.Schema{
		Type:                 "object",
		Description:          "Requests by outcome; classes without a request are left out.",
		Properties:           jsonschema.NewProperties(),
		AdditionalProperties: jsonschema.FalseSchema,
	}
	for _, o := range swap.Outcomes {
		s.Properties.Set(string(o), &jsonschema.Schema{Type: "integer", Minimum: "0"})
	}
	return s
}

// definitionName turns PerArm[swap.ArmFacts] into PerArmOfArmFacts.
func definitionName(typ reflect.Type) string {
	name := []byte(typ.Name())
	open := bytes.IndexByte(name, '[')
	if open < 0 {
		return string(name)
	}
	argument := name[open+1 : len(name)-1]
	argument = argument[bytes.LastIndexByte(argument, '.')+1:]
	return string(name[:open]) + "Of" + string(bytes.ToUpper(argument[:1])) + string(argument[1:])
}

// allowNull accepts null for required lists and maps: it is what an empty one may be on the wire.
func allowNull(s *jsonschema.Schema) {
	for _, name := range s.Required {
		p := property(s, name)
		if p.Type == "array" || p.AdditionalProperties == jsonschema.FalseSchema {
			s.Properties.Set(name, &jsonschema.Schema{
				Description: p.Description,
				AnyOf:       []*jsonschema.Schema{p, {Type: "null"}},
			})
			p.Description = ""
		}
	}
}

func indented(t *testing.T, s *jsonschema.Schema) []byte {
	t.Helper()
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	require.NoError(t, e.Encode(s))
	return b.Bytes()
}
