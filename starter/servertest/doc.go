// Package servertest runs the built product on a real Temporal server, a real S3 service and real processes, and breaks
// them: kills, restarts, outages, cancels and crashes. Its tests are what a mock clock cannot show.
//
// With SWAPGATE_RECORD_HISTORIES set to a folder, the histories of the runs are written there for the replay tests.
package servertest
