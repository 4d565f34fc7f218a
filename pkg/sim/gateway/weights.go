package gateway

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"sync"

	"github.com/swapgate/swapgate/pkg/swap"
)

// state is the weights and the number of their changes.
type state struct {
	swap.Weights
	Version int64 `json:"version"`
}

var errConflict = errors.New("the weights have changed since that version")

// splitter chooses an arm for each request and guards the weights. Its choice is smooth weighted round robin: within
// every 100 requests at unchanged weights each arm gets exactly its percentage, spread evenly.
type splitter struct {
	mu    sync.Mutex
	state state
	// credit is what each arm has earned and not yet spent.
	credit swap.PerArm[int]
	file   string
}

// newSplitter starts with the weights of the state file, or with initial where there is none.
func newSplitter(initial swap.Weights, file string) (*splitter, error) {
	if initial == (swap.Weights{}) {
		initial = swap.AllBaseline
	}
	s := &splitter{state: state{Weights: initial, Version: 1}, file: file}
	if file == "" {
		return s, nil
	}
	data, err := os.ReadFile(file) //nolint:gosec // G304: the operator names the file
	if errors.Is(err, fs.ErrNotExist) {
		return s, nil
	}
	if err == nil {
		s.state, err = decodeState(data)
	}
	if err != nil {
		return nil, fmt.Errorf("state file %s of the gateway: %w; repair or remove it", file, err)
	}
	return s, nil
}

func decodeState(data []byte) (state, error) {
	var s state
	if err := json.Unmarshal(data, &s); err != nil {
		return state{}, err
	}
	return s, checkWeights(s.Weights)
}

// choose spends one request.
func (s *splitter) choose() swap.Arm {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.credit.Baseline += s.state.Baseline
	s.credit.Candidate += s.state.Candidate
	arm := swap.Baseline
	if s.credit.Candidate > s.credit.Baseline {
		arm = swap.Candidate
	}
	*s.credit.Ptr(arm) -= 100
	return arm
}

func (s *splitter) read() state {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.state
}

// set changes the weights; version, if given, must be the present one. Weights that are already right stay unchanged.
func (s *splitter) set(want swap.Weights, version *int64) (state, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if version != nil && *version != s.state.Version {
		return s.state, errConflict
	}
	if want == s.state.Weights {
		return s.state, nil
	}
	next := state{Weights: want, Version: s.state.Version + 1}
	if err := save(s.file, next); err != nil {
		return s.state, err
	}
	s.state, s.credit = next, swap.PerArm[int]{}
	return next, nil
}

// save replaces the state file as a whole, so that a crash leaves the old or the new one.
func save(file string, s state) error {
	if file == "" {
		return nil
	}
	data, err := json.Marshal(s)
	if err != nil {
		return err
	}
	tmp, err := os.CreateTemp(filepath.Dir(file), filepath.Base(file)+".*")
	if err != nil {
		return fmt.Errorf("state file of the gateway: %w", err)
	}
	_, err = tmp.Write(data)
	err = errors.Join(err, tmp.Sync(), tmp.Close())
	if err == nil {
		err = os.Rename(tmp.Name(), file)
	}
	if err != nil {
		return errors.Join(fmt.Errorf("state file %s of the gateway: %w", file, err), os.Remove(tmp.Name()))
	}
	return nil
}
