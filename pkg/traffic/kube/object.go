// Package kube steers gateways that are described by objects of the Kubernetes API. It speaks to the API itself: two verbs, get
// and patch, on objects that are known by name, are all that is needed, and all that the worker's account must be allowed.
package kube

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/url"

	"github.com/swapgate/swapgate/pkg/traffic"
)

// Ref names an object of a namespaced resource.
type Ref struct {
	// Group, Version and Resource are as in a URL of the API: "gateway.networking.k8s.io", "v1", "httproutes".
	Group, Version, Resource string
	Namespace, Name          string
}

func (r Ref) path() string {
	return fmt.Sprintf("/apis/%s/%s/namespaces/%s/%s/%s",
		r.Group, r.Version, url.PathEscape(r.Namespace), r.Resource, url.PathEscape(r.Name))
}

// String is how kubectl would be asked for the object.
func (r Ref) String() string {
	return fmt.Sprintf("%s.%s %s/%s", r.Resource, r.Group, r.Namespace, r.Name)
}

// Object is one object as the API gave it.
type Object struct {
	Ref  Ref
	Meta Meta
	raw  []byte
}

// Meta is the part of an object's metadata that guards a change.
type Meta struct {
	Name            string `json:"name"`
	ResourceVersion string `json:"resourceVersion"`
	// Generation counts changes of the specification; 0 where the resource does not count them.
	Generation      int64          `json:"generation"`
	ManagedFields   []ManagedField `json:"managedFields"`
	OwnerReferences []Owner        `json:"ownerReferences"`
}

// Owner is an object that this one was made for.
type Owner struct {
	Kind string `json:"kind"`
	Name string `json:"name"`
	// Controller says that the owner's controller keeps this object as it wants it.
	Controller bool `json:"controller"`
}

// ManagedField is what one writer set last.
type ManagedField struct {
	Manager string `json:"manager"`
	// Operation is Apply for a writer that declares what it wants, Update for any other.
	Operation   string          `json:"operation"`
	Subresource string          `json:"subresource"`
	FieldsV1    json.RawMessage `json:"fieldsV1"`
}

// Decode reads an object. It insists on the metadata without which no change can be guarded.
func Decode(ref Ref, data []byte) (Object, error) {
	var head struct {
		Metadata Meta `json:"metadata"`
	}
	if err := json.Unmarshal(data, &head); err != nil {
		return Object{}, fmt.Errorf("%w: %s: the reply is not an object of the Kubernetes API: %w", traffic.ErrRefused, ref, err)
	}
	if head.Metadata.Name != ref.Name || head.Metadata.ResourceVersion == "" {
		return Object{}, fmt.Errorf("%w: %s: the reply is not that object of the Kubernetes API", traffic.ErrRefused, ref)
	}
	return Object{Ref: ref, Meta: head.Metadata, raw: data}, nil
}

// Into decodes the object into the part of its type that the caller knows.
func (o Object) Into(typed any) error {
	if err := json.Unmarshal(o.raw, typed); err != nil {
		return fmt.Errorf("%w: %s is not of the form that is known: %w", traffic.ErrRefused, o.Ref, cause(err))
	}
	return nil
}

// cause drops the name of a Go type, which helps nobody who reads YAML.
func cause(err error) error {
	var wrong *json.UnmarshalTypeError
	if errors.As(err, &wrong) {
		return fmt.Errorf("%s must not be a %s", wrong.Field, wrong.Value)
	}
	return err
}

// version is what State reports: the generation, which changes with the specification only, where there is one.
func (o Object) version() string {
	if o.Meta.Generation > 0 {
		return fmt.Sprint(o.Meta.Generation)
	}
	return o.Meta.ResourceVersion
}

// guard are the tests that fail once anybody else changed the specification. The generation is preferred to the resource
// version, because every gateway's report of its status changes the latter.
func (o Object) guard() Op {
	if o.Meta.Generation > 0 {
		return Test("/metadata/generation", o.Meta.Generation)
	}
	return Test("/metadata/resourceVersion", o.Meta.ResourceVersion)
}

// Op is one operation of a JSON Patch (RFC 6902).
type Op struct {
	Op    string `json:"op"`
	Path  string `json:"path"`
	Value any    `json:"value"`
}

// Test lets the whole patch fail unless the value is there.
func Test(path string, value any) Op { return Op{Op: "test", Path: path, Value: value} }

// Set writes a field: replacing it where it exists, and adding it otherwise, as the operation "add" does in an object.
func Set(path string, value any) Op { return Op{Op: "add", Path: path, Value: value} }
