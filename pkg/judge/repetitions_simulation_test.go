//go:build simulation

package judge

// What a release needs.
const (
	repetitions, resamples       = 2000, 1999
	falseAlarmRuns               = 2000
	coverageResamples            = 499
	coverageRuns, coverageChance = 2000, 0.
)
