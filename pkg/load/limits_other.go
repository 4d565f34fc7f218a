//go:build !unix

package load

func machineLimits() limits { return limits{} }
