// Package snapshot keeps what must be restored when a swap goes wrong, and restores it.
//
// A snapshot is the state found before anything was changed: the gateway's weights (normally 100 % on the baseline), the
// servers behind it, and the specification of the run. What is restored is the snapshot's weights; the servers are kept
// as a record to compare with, since a rollout moves traffic and leaves both servers running.
//
// Snapshots are content-addressed and immutable: the key ends in the hash of the document and a changed document is
// another snapshot.
package snapshot
