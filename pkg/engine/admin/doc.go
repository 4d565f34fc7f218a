// Package admin makes one inference server serve another model in place, and proves that it does.
//
// An engine's reply proves nothing: some reply before they are done, some reply 200 and have changed nothing, and some name the
// new model and answer with the weights of the old. So every swap ends with looking: at what the engine lists, at the checksum
// of its weights where it has one, at the fingerprint of its answers, and at the answers to fixed prompts. What the package
// returns without an error is proven by these.
package admin
