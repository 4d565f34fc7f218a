// Package sizeclass reads a model's size from its name, and holds what is measured against limits by size where a target has
// no history. It is pure.
//
// The limits are absolute and rough: they say whether a server is in the range that is usual for its size, and never
// whether a candidate is worse than its baseline.
package sizeclass
