// Package wire is what the shards of an ensemble say to each other: messages, and how they lie on a connection.
//
// A frame is the length of a JSON document, the length of what is attached to it (both big-endian uint32), the document and
// the attachment. The document is {"kind": …, "body": {…}} with exactly the fields of its kind. Only a slice has an
// attachment: its samples as little-endian float32, which are many.
package wire
