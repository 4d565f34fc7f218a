// Package alertrules writes Prometheus alert rules from a registered baseline: latency above what was measured, errors that
// use up their budget too fast, and throughput below what the server can do. It is pure.
//
// A quantile that Prometheus interpolates inside a histogram's bucket is not a measurement. Where the buckets of an engine are
// known, a latency limit is therefore raised to the next end of a bucket: there the comparison is exact, because the quantile
// is above the end of a bucket just when too few requests are below it.
package alertrules
