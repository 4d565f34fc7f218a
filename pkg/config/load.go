package config

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"unicode/utf8"

	"github.com/swapgate/swapgate/pkg/swap"
)

// maxFileBytes bounds a configuration file; a complete one is below 10 KB.
const maxFileBytes = 1 << 20

// Load reads and resolves a configuration file. env looks up environment variables (os.LookupEnv); nil means that there
// are none. Every problem of the file is in the returned *Error; a missing file also matches fs.ErrNotExist.
func Load(path string, env func(string) (string, bool)) (swap.Spec, error) {
	data, err := read(path)
	if err != nil {
		return swap.Spec{}, err
	}
	return Parse(path, data, env)
}

func read(path string) ([]byte, error) {
	f, err := os.Open(path) //nolint:gosec // the path is the user's own argument
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fileError(path, err, "does not exist; name the file that describes the validation")
	}
	if err != nil {
		return nil, fileError(path, err, "cannot be opened: %v", err)
	}
	defer func() { _ = f.Close() }()
	info, err := f.Stat()
	if err != nil {
		return nil, fileError(path, err, "cannot be read: %v", err)
	}
	if info.IsDir() {
		return nil, fileError(path, nil, "is a directory; name the file in it")
	}
	data, err := io.ReadAll(io.LimitReader(f, maxFileBytes+1))
	if err != nil {
		return nil, fileError(path, err, "cannot be read: %v", err)
	}
	return data, nil
}

// Parse resolves the contents of a configuration file; name stands for the file in messages. It is otherwise like Load.
func Parse(name string, data []byte, env func(string) (string, bool)) (swap.Spec, error) {
	if err := checkText(name, data); err != nil {
		return swap.Spec{}, err
	}
	doc, err := readDocument(name, data)
	if err != nil {
		return swap.Spec{}, err
	}
	r := &reporter{file: name}
	r.root = buildTree(r, doc)
	if r.root.kind != objectNode {
		return swap.Spec{}, fileError(name, nil, "must hold fields such as target: and baseline:, not %s", kindOf(r.root))
	}
	return resolve(r, env)
}

// resolve takes a document from its tree to a specification.
func resolve(r *reporter, env func(string) (string, bool)) (swap.Spec, error) {
	fillFromEnvironment(r.root, env)
	checkSchema(r)
	checkAmbiguousText(r)
	checkDurations(r)
	r.discard()
	applyDefaults(r.root)
	spec, err := decode(r.root)
	if err != nil {
		return swap.Spec{}, fileError(r.file, err, "cannot be read: %v", err)
	}
	checkMeaning(r, spec)
	spec.Load = expandGradient(spec.Load)
	checkPlan(r, spec)
	if err := r.err(); err != nil {
		return swap.Spec{}, err
	}
	return spec, nil
}

func checkText(name string, data []byte) error {
	switch {
	case len(data) > maxFileBytes:
		return fileError(name, nil, "is larger than 1 MB; this cannot be a swapgate configuration")
	case bytes.HasPrefix(data, []byte("\xff\xfe")), bytes.HasPrefix(data, []byte("\xfe\xff")):
		return fileError(name, nil, "is UTF-16 text; save it as UTF-8")
	case bytes.IndexByte(data, 0) >= 0:
		return fileError(name, nil, "is a binary file; a configuration is YAML text")
	case !utf8.Valid(data):
		return fileError(name, nil, "is not UTF-8 text; save it as UTF-8")
	}
	return nil
}

func decode(root *node) (swap.Spec, error) {
	data, err := json.Marshal(root.plain())
	if err != nil {
		return swap.Spec{}, err
	}
	var spec swap.Spec
	if err := json.Unmarshal(data, &spec); err != nil {
		return swap.Spec{}, fmt.Errorf("decode the resolved document: %w", err)
	}
	return spec, nil
}
