// Package swap is the wire contract of swapgate: what a validation is asked to do, what every stage hands to the next,
// and the verdict. Everything here is a plain value that survives JSON, because it crosses Temporal, S3 and standard
// output. The package imports nothing else of swapgate and everything else may import it.
//
// Names carry their unit where the type does not: _ms is milliseconds, _bytes is bytes, a share is a fraction 0..1.
package swap
