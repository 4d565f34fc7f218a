// Package snapshot keeps what must be restored when a swap goes wrong, and restores it.
//
// A snapshot is the state found before anything was changed: the gateway and its weights (normally 100 % on the baseline), the
// servers behind it with what proves their weights, and the specification of the run. What is restored is the snapshot's
// weights; the servers are kept as a record to compare with, since a rollout moves traffic and leaves both servers running.
//
// Snapshots are content-addressed and immutable: the key ends in the hash of the document and a changed document is
// another snapshot. A snapshot is healthy once the run that took it passed; that is said by a second document beside it, the
// mark, which is written after the verdict and never without one.
package snapshot
