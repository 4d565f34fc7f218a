package report

import (
	"bytes"
	"encoding/json"
	"fmt"

	"github.com/swapgate/swapgate/pkg/swap"
)

// JSON is verdict.json: the verdict indented by two spaces, with sorted map keys and a final newline. It fails only for a
// number that JSON cannot hold.
func JSON(v swap.Verdict) ([]byte, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	if err := e.Encode(v); err != nil {
		return nil, fmt.Errorf("cannot write the verdict of run %q as JSON: %w", v.Provenance.RunID, err)
	}
	return b.Bytes(), nil
}
