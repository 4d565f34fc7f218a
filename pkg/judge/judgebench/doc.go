// Package judgebench measures how fast a verdict is: from the tables of a large run in the run store to all gates decided, beside
// the least that anyone must do who wants percentiles, a pass that reads the same tables and sorts. It is one benchmark:
//
//	go test -run '^$' -bench . -benchtime 1x ./pkg/judge/judgebench
//
// BenchmarkVerdict writes a generated run of 2,143,856 requests to an S3 service on this machine, in a process of its own, and
// reports:
//
//	verdict-s, verdict-MB  time and the largest resident memory of reading and judging all gates, with the bootstrap
//	read-s, judge-s        the two parts of that time
//	sort-s, sort-MB        the same of the pass that reads the same tables in full and sorts each metric for its percentiles
//	verdict-cpu-s, sort-cpu-s, x-sort-cpu
//	                       the same by CPU time of this process, which tells more where the machine is not quiet
//	x-sort                 verdict-s over sort-s, which depends little on the machine
//	table-MB               what the tables hold: both passes read and hash all of it
package judgebench
