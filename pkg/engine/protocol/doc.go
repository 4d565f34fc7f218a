// Package protocol knows the HTTP interfaces of inference servers: how a request is written and what each event of its
// answer means. It does no I/O and takes no clock.
//
// Events are not decoded. A scanner walks the JSON in place, strict about its structure and lenient about its content: an
// event that is cut off is an error, a field that is unknown, null or of an unexpected type is passed over.
package protocol
