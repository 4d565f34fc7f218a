// Package online is the evidence of live traffic: what Prometheus says of each arm, and what the application reports of its answers.
//
// It never invents a number: a series that is missing, ambiguous or not a number is a problem that is named, and not a zero.
package online
