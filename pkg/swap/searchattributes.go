package swap

// Search attributes of a validation and of a rollback: keywords that the Temporal UI can list and filter by. They are set
// only where Request.SearchAttributes says that the namespace has them.
const (
	AttrTarget    = "SwapTarget"
	AttrBaseline  = "SwapBaseline"
	AttrCandidate = "SwapCandidate"
	AttrStage     = "SwapStage"
	AttrVerdict   = "SwapVerdict"
	// AttrRequestedBy is who or what started the run.
	AttrRequestedBy = "SwapRequestedBy"
)

// SearchAttributes lists every search attribute; all are of type Keyword. deploy/search-attributes.txt holds the same list.
var SearchAttributes = []string{AttrTarget, AttrBaseline, AttrCandidate, AttrStage, AttrVerdict, AttrRequestedBy}
