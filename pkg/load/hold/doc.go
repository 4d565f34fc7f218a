// Package hold decides when a load step ends. It is pure: driving blocks and reading clocks happen elsewhere.
//
// A step ends, after the first block for which one of these holds, and then for good:
//
//  1. A limit is broken on an arm (limit).
//  2. The planned blocks are done, and the step is not to be prolonged (planned).
//  3. The tail is steady on both arms (steady). The planned blocks are the least.
//  4. The longest hold is reached (max_hold).
//
// # Optional stopping
//
// A rule that looks at the data after every pair may stop at a lucky moment. Were it to look at the difference between the
// arms, it would stop when the difference happens to be large, and verdicts would cry wolf: peeking ten times at 5 % gives
// about 19 % false alarms. So each arm is looked at by itself, never against the other. What remains is mild: a tail whose
// interval is narrow by luck ends its step early. In 1,500 simulated steps with equal arms 6.3 % then gave a false alarm at a
// nominal 5 %, against 4.3 % of steps of fixed length and 13.8 % of steps that ended on the difference.
package hold
