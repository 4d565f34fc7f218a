// Package hypothesis holds distribution-free tests of two samples, of two rates and of a trend. Every function is pure: the
// same input and seed give the same output.
//
// The first sample is the baseline and the second the candidate. Except for the permutation of whole blocks, every test takes
// its values as independent: requests that share a queue are not, and on them a test at 5 % can be wrong half of the time.
// Give it one value a block, or permute the blocks.
package hypothesis
