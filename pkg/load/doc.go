// Package load drives planned load against one arm and keeps a raw record of every planned request.
//
// PlanBlock lays a whole block out beforehand, Run drives it, WarmUp runs before any block, and Summarise reads a block's
// records. An open loop follows absolute times and is never slowed by answers; a closed loop keeps a number of requests in
// flight.
package load
