package runstore

import (
	"context"
	"encoding/json"

	"github.com/swapgate/swapgate/pkg/swap"
)

// ContentJSON is the media type of manifests, snapshots and verdicts.
const ContentJSON = "application/json"

// PutJSON stores v under key as indented JSON, over what may be there.
func PutJSON[T any](ctx context.Context, s *Store, key, schema string, v T) (swap.ObjectRef, error) {
	o, err := jsonObject(s, key, schema, v)
	if err != nil {
		return swap.ObjectRef{}, err
	}
	return s.put(ctx, o)
}

// PutJSONOnce stores v under key unless an object is there already; see PutOnce.
func PutJSONOnce[T any](ctx context.Context, s *Store, key, schema string, v T) (ref swap.ObjectRef, created bool, err error) {
	o, err := jsonObject(s, key, schema, v)
	if err != nil {
		return swap.ObjectRef{}, false, err
	}
	return s.putOnce(ctx, o)
}

// GetJSON reads the object that ref describes. Other bytes than those described, or no JSON of a T, are ErrCorrupt.
func GetJSON[T any](ctx context.Context, s *Store, ref swap.ObjectRef) (T, error) {
	data, err := s.GetBytes(ctx, ref)
	if err != nil {
		var zero T
		return zero, err
	}
	return decodeJSON[T](ref.URI, data)
}

// GetKeyJSON reads whatever is stored under key, and its reference.
func GetKeyJSON[T any](ctx context.Context, s *Store, key string) (T, swap.ObjectRef, error) {
	var zero T
	data, ref, err := s.GetKey(ctx, key)
	if err != nil {
		return zero, ref, err
	}
	v, err := decodeJSON[T](ref.URI, data)
	return v, ref, err
}

func jsonObject[T any](s *Store, key, schema string, v T) (object, error) {
	data, err := json.MarshalIndent(v, "", "  ")
	if err != nil {
		return object{}, &Error{Op: "put", URI: s.URI(key), Cause: err}
	}
	return object{key: key, contentType: ContentJSON, schema: schema, data: append(data, '\n')}, nil
}

// decodeJSON ignores unknown fields: an older reader must cope with a newer writer.
func decodeJSON[T any](uri string, data []byte) (v T, err error) {
	if err := json.Unmarshal(data, &v); err != nil {
		var zero T
		return zero, &Error{Op: "get", URI: uri, Kind: ErrCorrupt, Cause: err}
	}
	return v, nil
}
