// Package compat compares what two inference servers say of themselves before they are measured against each other. It is pure.
//
// Each rule looks at one fact of both arms. A difference is harmless (it explains nothing), notable (it is part of what is
// compared, and the reader must know) or blocking (the run would measure requests that cannot be served). A fact that one of
// the servers does not give is unknown and is never taken for equal.
package compat
