package config

import (
	"encoding/json"
	"flag"
	"io/fs"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/invopop/jsonschema"
	"github.com/stretchr/testify/require"
)

var update = flag.Bool("update", false, "write the generated schemas and the reference in docs/configuration.md")

func TestSchemaIsGeneratedFromTheTypes(t *testing.T) {
	for _, s := range []struct {
		file     string
		embedded []byte
		generate func(*testing.T) *jsonschema.Schema
	}{
		{"swap.json", Schema(), generateSpecSchema},
		{"verdict.json", VerdictSchema(), generateVerdictSchema},
		{"watch.json", WatchSchema(), generateWatchSchema},
	} {
		t.Run(s.file, func(t *testing.T) {
			want := indented(t, s.generate(t))
			if *update {
				require.NoError(t, os.WriteFile("schema/"+s.file, want, 0o600))
				require.NoError(t, os.MkdirAll("../../docs/schema", 0o750))
				require.NoError(t, os.WriteFile("../../docs/schema/"+s.file, want, 0o600))
				return
			}
			const stale = "run: go test ./pkg/config -run TestSchema -update"
			require.Equal(t, string(want), string(s.embedded), stale)
			published, err := fs.ReadFile(os.DirFS("../../docs/schema"), s.file)
			require.NoError(t, err, stale)
			require.Equal(t, string(want), string(published), stale)
		})
	}
}

// walkSchema visits every field of the schema under the name that defaults and ranges use.
func walkSchema(s *fieldSchema, field string, visit func(string, *fieldSchema)) {
	visit(field, s)
	if s.Items != nil {
		walkSchema(s.Items, field+"[]", visit)
	}
	for name, p := range s.Properties {
		child := name
		if field != "" {
			child = field + "." + name
		}
		walkSchema(p, child, visit)
	}
}

func schemaFields() map[string]*fieldSchema {
	fields := map[string]*fieldSchema{}
	walkSchema(fieldSchemas(), "", func(field string, s *fieldSchema) { fields[field] = s })
	return fields
}

func TestSchemaDescribesEveryField(t *testing.T) {
	var all any
	require.NoError(t, json.Unmarshal(Schema(), &all))
	requireDescriptions(t, "", all.(map[string]any))
}

func requireDescriptions(t *testing.T, field string, schema map[string]any) {
	t.Helper()
	require.NotEmpty(t, schema["description"], "add a doc comment to %s", field)
	if schema["type"] == "object" {
		require.Equal(t, false, schema["additionalProperties"], field)
	}
	if schema["type"] == "integer" {
		require.NotNil(t, schema["maximum"], "%s needs a maximum: numbers beyond 64 bits must not reach the decoder", field)
	}
	properties, _ := schema["properties"].(map[string]any)
	for name, p := range properties {
		requireDescriptions(t, field+"."+name, p.(map[string]any))
	}
	if items, ok := schema["items"].(map[string]any); ok && items["type"] == "object" {
		properties, _ := items["properties"].(map[string]any)
		for name, p := range properties {
			requireDescriptions(t, field+"[]."+name, p.(map[string]any))
		}
	}
}

func TestDefaultsAndRangesNameFieldsOfTheSchema(t *testing.T) {
	fields := schemaFields()
	for _, d := range defaults {
		require.Contains(t, fields, d.field)
	}
	for _, e := range fromEnvironment {
		require.Contains(t, fields, e.group+"."+e.field)
	}
	for field := range durationRanges {
		require.Contains(t, fields, field)
	}
	for field, s := range fields {
		if s.Pattern == durationPattern {
			require.Contains(t, durationRanges, field)
		}
	}
}

func TestDefaultsAreInRange(t *testing.T) {
	for _, d := range defaults {
		limits, found := durationRanges[d.field]
		if !found {
			continue
		}
		v, err := time.ParseDuration(d.value.(string))
		require.NoError(t, err)
		require.Equal(t, d.value, short(v), "write defaults in the short form")
		require.True(t, limits.min <= v && v <= limits.max, d.field)
	}
}

func TestEverySecretReferenceIsKnown(t *testing.T) {
	for field, s := range schemaFields() {
		if s.Properties["env"] != nil {
			require.True(t, isSecretRef(strings.Split(field, ".")), field)
		}
	}
}
