// Package config turns swap.yaml into a swap.Spec: it reads the file strictly, names every problem with its line and
// column, fills in the defaults and can write the result back.
//
// A file passes through these steps, and each reports all it finds: YAML, the JSON Schema generated from package swap,
// ranges of durations, defaults and environment, and checks between fields.
package config
