package runstore

import (
	"encoding/json"
	"os"
	"path/filepath"
	"time"
)

// MeasuredTimeOf is the measured time of the block that a table of requests on this machine is of: from the block's seal, where
// the table still lies below it as in the store. It is false where there is none.
func MeasuredTimeOf(table string) (time.Duration, bool) {
	data, err := os.ReadFile(filepath.Join(filepath.Dir(table), "..", sealedName))
	if err != nil {
		return 0, false
	}
	var sealed sealedBlock
	if json.Unmarshal(data, &sealed) != nil || sealed.Result.MeasuredMS <= 0 {
		return 0, false
	}
	return time.Duration(sealed.Result.MeasuredMS) * time.Millisecond, true
}
