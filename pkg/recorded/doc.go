// Package recorded judges runs that were measured earlier, by swapgate or by another tool, with the engine of a live run. What a
// tool wrote becomes a Run (the packages below this one, one a format); Judge pairs the load levels of two runs, cuts their
// requests into blocks and hands them to package judge.
//
// Two runs that were recorded apart are a weaker comparison than interleaved blocks: whatever changed between them, such as a
// restart, another placement or another hour, is in the difference. Judge therefore takes the spread between runs of one and the
// same service and widens every bound by it. Summaries alone have no blocks; their spread is told from the percentiles beside a figure.
//
// The package is pure: no I/O and no clock. What it reads comes from outside and is not trusted.
package recorded
