package kubetest

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"
)

// The cases are the examples of RFC 6902, appendix A, for the operations that are known here.
func TestJSONPatchOfTheRFC(t *testing.T) {
	for name, tc := range map[string]struct{ doc, patch, want string }{
		"A.1 adding an object member": {
			`{"foo":"bar"}`,
			`[{"op":"add","path":"/baz","value":"qux"}]`,
			`{"baz":"qux","foo":"bar"}`,
		},
		"A.2 adding an array element": {
			`{"foo":["bar","baz"]}`,
			`[{"op":"add","path":"/foo/1","value":"qux"}]`,
			`{"foo":["bar","qux","baz"]}`,
		},
		"A.3 removing an object member": {
			`{"baz":"qux","foo":"bar"}`,
			`[{"op":"remove","path":"/baz"}]`,
			`{"foo":"bar"}`,
		},
		"A.4 removing an array element": {
			`{"foo":["bar","qux","baz"]}`,
			`[{"op":"remove","path":"/foo/1"}]`,
			`{"foo":["bar","baz"]}`,
		},
		"A.5 replacing a value": {
			`{"baz":"qux","foo":"bar"}`,
			`[{"op":"replace","path":"/baz","value":"boo"}]`,
			`{"baz":"boo","foo":"bar"}`,
		},
		"A.8 testing a value: success": {
			`{"baz":"qux","foo":["a",2,"c"]}`,
			`[{"op":"test","path":"/baz","value":"qux"},{"op":"test","path":"/foo/1","value":2}]`,
			`{"baz":"qux","foo":["a",2,"c"]}`,
		},
		"A.9 testing a value: error": {
			`{"baz":"qux"}`,
			`[{"op":"test","path":"/baz","value":"bar"}]`,
			``,
		},
		"A.10 adding a nested member object": {
			`{"foo":"bar"}`,
			`[{"op":"add","path":"/child","value":{"grandchild":{}}}]`,
			`{"foo":"bar","child":{"grandchild":{}}}`,
		},
		"A.12 adding to a nonexistent target": {
			`{"foo":"bar"}`,
			`[{"op":"add","path":"/baz/bat","value":"qux"}]`,
			``,
		},
		"A.14 escape ordering": {
			`{"/":9,"~1":10}`,
			`[{"op":"test","path":"/~01","value":10}]`,
			`{"/":9,"~1":10}`,
		},
		"A.15 comparing strings and numbers": {
			`{"/":9,"~1":10}`,
			`[{"op":"test","path":"/~01","value":"10"}]`,
			``,
		},
		"A.16 adding an array value": {
			`{"foo":["bar"]}`,
			`[{"op":"add","path":"/foo/-","value":["abc","def"]}]`,
			`{"foo":["bar",["abc","def"]]}`,
		},
		"replacing what is not there": {`{}`, `[{"op":"replace","path":"/baz","value":1}]`, ``},
		"beyond the end of a list": {
			`{"foo":["bar"]}`,
			`[{"op":"replace","path":"/foo/1","value":1}]`,
			``,
		},
		"one that fails leaves nothing of another": {
			`{"foo":1}`,
			`[{"op":"add","path":"/bar","value":1},{"op":"test","path":"/foo","value":2}]`,
			``,
		},
	} {
		t.Run(name, func(t *testing.T) {
			var doc Object
			var ops []operation
			require.NoError(t, json.Unmarshal([]byte(tc.doc), &doc))
			require.NoError(t, json.Unmarshal([]byte(tc.patch), &ops))
			got, err := applyPatch(doc, ops)
			if tc.want == "" {
				require.ErrorIs(t, err, errPatch)
			} else {
				require.NoError(t, err)
				text, err := json.Marshal(got)
				require.NoError(t, err)
				require.JSONEq(t, tc.want, string(text))
			}
			untouched, err := json.Marshal(doc)
			require.NoError(t, err)
			require.JSONEq(t, tc.doc, string(untouched))
		})
	}
}
