package telemetry

// part says which number of a series is meant.
type part int

const (
	// plain is the value of a counter or gauge.
	plain part = iota
	// histogramSum is the sum of a histogram's or summary's observations.
	histogramSum
)

// fold says how several series of one family become one number.
type fold int

const (
	// foldSum adds the series up: ranks share the work.
	foldSum fold = iota
	// foldMax takes the largest: the fullest rank is the one that preempts.
	foldMax
)

// alias is one name under which a dialect reports a canonical metric.
type alias struct {
	metric string
	series string
	// where selects series by the exact value of labels.
	where map[string]string
	part  part
	fold  fold
	// scale multiplies the value into the canonical unit; 0 means 1.
	scale float64
}

// dialect is how one kind of page names things. Several aliases of one metric stand in order of preference.
type dialect struct {
	name string
	// copies names labels whose series repeat one quantity instead of sharing it: tensor-parallel ranks all report the
	// whole batch. Such series are collapsed to their largest before the fold.
	copies  []string
	aliases []alias
	// gpu says that every series belongs to one GPU, named by these labels, and yields one reading for each GPU.
	gpu *gpuLabels
}

// gpuLabels names the labels that identify a GPU, each in order of preference.
type gpuLabels struct {
	index, uuid, instance []string
}

func (a alias) scaled(v float64) float64 {
	if a.scale == 0 {
		return v
	}
	return v * a.scale
}
