package engine

import "github.com/swapgate/swapgate/pkg/sim/truth"

// truthTokens is how many token times a truth entry keeps.
const truthTokens = 1024

// Truth is what the server knows of one request.
type Truth = truth.Entry

// TruthPage is the answer to GET /sim/truth.
type TruthPage = truth.Page
