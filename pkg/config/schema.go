package config

import (
	"bytes"
	_ "embed"
	"encoding/json"
	"sync"

	"github.com/santhosh-tekuri/jsonschema/v6"
)

// The schemas are generated from package swap, its struct tags and its doc comments:
// go test ./pkg/config -run TestSchema -update.
var (
	//go:embed schema/swap.json
	specSchema []byte
	//go:embed schema/verdict.json
	verdictSchema []byte
	//go:embed schema/watch.json
	watchSchema []byte
)

// Schema returns the JSON Schema (2020-12) of swap.yaml.
func Schema() []byte { return bytes.Clone(specSchema) }

// VerdictSchema returns the JSON Schema (2020-12) of verdict.json.
func VerdictSchema() []byte { return bytes.Clone(verdictSchema) }

// WatchSchema returns the JSON Schema (2020-12) of the result of a watch.
func WatchSchema() []byte { return bytes.Clone(watchSchema) }

// compiledSchema is ready to validate documents. The embedded schema is tested, so failing to compile is a bug.
var compiledSchema = sync.OnceValue(func() *jsonschema.Schema {
	return mustCompile("swap.json", specSchema)
})

func mustCompile(name string, schema []byte) *jsonschema.Schema {
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(schema))
	if err != nil {
		panic("embedded schema " + name + ": " + err.Error())
	}
	c := jsonschema.NewCompiler()
	if err := c.AddResource(name, doc); err != nil {
		panic("embedded schema " + name + ": " + err.Error())
	}
	return c.MustCompile(name)
}

// fieldSchema is what messages and the reference need to know of a field.
type fieldSchema struct {
	Type       string                  `json:"type"`
	Properties map[string]*fieldSchema `json:"properties"`
	Items      *fieldSchema            `json:"items"`
	Pattern    string                  `json:"pattern"`
}

var fieldSchemas = sync.OnceValue(func() *fieldSchema {
	var s fieldSchema
	if err := json.Unmarshal(specSchema, &s); err != nil {
		panic("embedded schema swap.json: " + err.Error())
	}
	return &s
})

// schemaAt returns the schema of the value at p, or nil for an unknown field.
func schemaAt(p path) *fieldSchema {
	s := fieldSchemas()
	for _, e := range p {
		if s == nil {
			return nil
		}
		if s.Items != nil {
			s = s.Items
		} else {
			s = s.Properties[e]
		}
	}
	return s
}
