// Package gateway is a reverse proxy that splits requests between two arms by weight, in exact shares, and can be steered
// over HTTP: a stand-in for the traffic split of a production gateway.
//
// Every reply carries the header X-Swapgate-Arm. The admin API:
//
//	GET /admin/weights   {"baseline":100,"candidate":0,"version":7}, ETag "7"
//	PUT /admin/weights   the same; "version" or If-Match makes it a compare-and-set: 409 when someone else was faster
//	GET /admin/counters  per arm: requests, errors, requests in flight, time to first byte
//
// A weight acts on new requests only; requests in flight stay where they are.
package gateway
