//go:build !simulation

package judge

// What simulations of error rates can afford in the ordinary tests. The build tag simulation repeats them 2,000 times.
const (
	repetitions, resamples = 400, 199
	// falseAlarmRuns is the number of healthy runs that the pre-checks see.
	falseAlarmRuns = 100
	// coverageRuns are the runs of each family of latencies, coverageChance three standard errors of a coverage of 90 %.
	coverageRuns, coverageChance = 50, .127
	coverageResamples            = 199
)
