// Package calibration lets the load client measure a server of known truth, on the same machine and at the planned load,
// and says how wrong it was. Compare decides, from records and truths; Run acts.
package calibration
