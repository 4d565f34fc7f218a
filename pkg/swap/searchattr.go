package swap

// Names of the search attributes, all of type Keyword.
const (
	SearchAttrTarget      = "SwapTarget"
	SearchAttrStage       = "SwapStage"
	SearchAttrVerdict     = "SwapVerdict"
	SearchAttrBaseline    = "SwapBaseline"
	SearchAttrCandidate   = "SwapCandidate"
	SearchAttrRequestedBy = "SwapRequestedBy"
)

// SearchAttributes lists every search attribute; deploy/search-attributes.txt holds the same list.
var SearchAttributes = []string{
	SearchAttrTarget, SearchAttrStage, SearchAttrVerdict, SearchAttrBaseline, SearchAttrCandidate, SearchAttrRequestedBy,
}
