// Package ensemble lets several load workers drive one load step together. Each drives its slice of every block, a shard.
// Shard 0 is the conductor, the others follow it. They are processes of their own, mostly on hosts of their own, and each may
// die and come back by itself, as a new attempt.
//
// # A block
//
// For each block the conductor begins a round: all shards plan the block, their plans must have the same hash, the conductor
// sets a common start a little ahead, all drive, and the block counts once the conductor has sealed all slices together. When
// a shard is lost, fails or is late, the round is void: everybody stops at once, the conductor waits for the shard to come
// back, and the block is repeated from its beginning in a new round. A slice of another round is never taken. When the
// conductor is lost, the followers stop at once and wait for its next attempt, which goes on with the first block that is not
// sealed.
//
// # Clocks
//
// The conductor's clock is the reference. A follower measures where its own stands just before every block, in several
// exchanges of four timestamps as in NTP (RFC 5905 section 8), and keeps the one with the shortest round trip; the truth is at
// most half of that round trip away. Clocks may be apart by any amount. A clock that is set in the middle of a step moves no
// start, because after the first look only elapsed time counts. How far two clocks drift apart between the measurement and the
// start, microseconds in a second or two, is not part of the uncertainty.
//
// # Network
//
// Followers connect to the conductor by TCP: every load worker must be able to reach every other one, at Config.Advertise or
// at any address of its interfaces, on the port of Config.Listen, by default one that the system picks. Nothing connects to a
// follower. The connection must not be idled out below Config.Silence/4. Beside it, everybody needs the noticeboard.
//
// # Security
//
// The conductor puts a random token on the noticeboard. Both ends of a connection derive the same Ed25519 key from it and
// prove to each other that they hold that key, as the certificates of a TLS 1.3 connection. So the token itself never crosses
// the network, what is said is private and unchanged, a follower cannot be led to a false conductor, and a stranger reaches no
// code of this package beyond the handshake. Who may read the noticeboard may join: it needs the protection of the run's raw
// data. A token is good for one attempt of a conductor.
package ensemble
