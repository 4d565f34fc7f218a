package wire

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
)

// decode reads a document strictly: a known kind with known fields, and nothing after it.
func decode(raw []byte) (Message, error) {
	var doc document
	if err := strict(raw, &doc); err != nil {
		return nil, err
	}
	switch doc.Kind {
	case "hello":
		return body[Hello](doc)
	case "ping":
		return body[Ping](doc)
	case "ready":
		return body[Ready](doc)
	case "late":
		return body[Late](doc)
	case "slice":
		return body[Slice](doc)
	case "failed":
		return body[Failed](doc)
	case "alive":
		return body[Alive](doc)
	}
	return decodeConductors(doc)
}

// decodeConductors reads what only a conductor sends.
func decodeConductors(doc document) (Message, error) {
	switch doc.Kind {
	case "welcome":
		return body[Welcome](doc)
	case "refused":
		return body[Refused](doc)
	case "pong":
		return body[Pong](doc)
	case "prepare":
		return body[Prepare](doc)
	case "go":
		return body[Go](doc)
	case "void":
		return body[Void](doc)
	case "end":
		return body[End](doc)
	case "stop":
		return body[Stop](doc)
	}
	return nil, fmt.Errorf("unknown kind %.32q", doc.Kind)
}

func body[M Message](doc document) (Message, error) {
	var m M
	if len(doc.Body) == 0 || doc.Body[0] != '{' {
		return nil, fmt.Errorf("%s: the body is not an object", m.kind())
	}
	if err := strict(doc.Body, &m); err != nil {
		return nil, fmt.Errorf("%s: %w", m.kind(), err)
	}
	return m, nil
}

func strict(raw []byte, into any) error {
	d := json.NewDecoder(bytes.NewReader(raw))
	d.DisallowUnknownFields()
	if err := d.Decode(into); err != nil {
		return err
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return errors.New("something follows the document")
	}
	return nil
}
