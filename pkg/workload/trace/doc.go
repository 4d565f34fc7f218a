// Package trace reads recorded arrivals of requests from the public formats in which they are published. A recording says
// when requests came and how long they and their answers were; none of the formats holds a prompt.
package trace
