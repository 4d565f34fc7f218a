// Package registry keeps the history of how a target's model behaves: one immutable, numbered document for every set of
// numbers that a passing run measured of what serves. The latest says what serves now; the reference says what later
// measurements are held against.
//
// The two differ on purpose. A model that passed although it is a little slower than the one before it serves, but its
// numbers do not become the reference: otherwise 4 %, then 4 %, then 4 % would each pass, and nobody would ever see 12 %.
// Changes are chained over runs from what each run measured of its own two arms, because numbers of different days differ
// by more than that.
package registry
