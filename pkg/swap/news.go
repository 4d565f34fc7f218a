package swap

// ActivityUpdateThread brings the thread of a run in Slack up to date.
const ActivityUpdateThread = "UpdateSlackThread"

// ThreadInput asks for a run's thread in Slack to show the news. The first news of a run posts the message that all later
// ones update.
type ThreadInput struct {
	Spec Spec `json:"spec"`
	// Verdict is as far as it is known; it is complete with the last news.
	Verdict Verdict `json:"verdict"`
	News    RunNews `json:"news"`
}

// RunNews is what people should see of a run at one moment. A field is here only if a change of it is worth an update of the
// run's message.
type RunNews struct {
	// Seq counts the news of a run from 1. It tells a button from the same button in an earlier state of the message.
	Seq   int   `json:"seq"`
	Stage Stage `json:"stage"`
	// Weights is the last known split of traffic; absent without a route.
	Weights *Weights `json:"weights,omitempty"`
	// Approve is the weight that a person is asked to approve, in percent, and Asked counts how often one was asked; 0 where nobody
	// is asked, or has been.
	Approve int `json:"approve,omitempty"`
	Asked   int `json:"asked,omitempty"`
	// Extensions is how many more windows people granted.
	Extensions int `json:"extensions,omitempty"`
	// RolledBack says that traffic that had been moved goes back, or went; Stuck that it does not get through.
	RolledBack bool `json:"rolled_back,omitempty"`
	Stuck      bool `json:"stuck,omitempty"`
	// Can is what the run would accept now.
	Can Can `json:"can,omitzero"`
	// Deeds are what people asked of the run since the last news.
	Deeds []Deed `json:"deeds,omitempty"`
	// Over is the last news: the verdict stands.
	Over bool `json:"over,omitempty"`
}

// Alike reports whether both show the same, whatever their numbers and deeds.
func (n RunNews) Alike(o RunNews) bool {
	sameWeights := n.Weights == o.Weights || n.Weights != nil && o.Weights != nil && *n.Weights == *o.Weights
	return sameWeights && n.Stage == o.Stage && n.Approve == o.Approve && n.Asked == o.Asked && n.Extensions == o.Extensions &&
		n.RolledBack == o.RolledBack && n.Stuck == o.Stuck && n.Can == o.Can && n.Over == o.Over
}

// Deed is an update that a run accepted.
type Deed struct {
	// N counts the deeds of a run from 1.
	N int `json:"n"`
	// Answer is what the run answered, and By who asked.
	Answer string `json:"answer"`
	By     string `json:"by,omitempty"`
}

// Can says which updates a run would accept.
type Can struct {
	Approve  bool `json:"approve,omitempty"`
	Extend   bool `json:"extend,omitempty"`
	Rollback bool `json:"rollback,omitempty"`
}

// ThreadResult is what became of the news.
type ThreadResult struct {
	// Message is the stored message.
	Message *ObjectRef `json:"message,omitempty"`
	// Missing says what could not be shown although the message was, such as a chart; empty where all is there.
	Missing string `json:"missing,omitempty"`
}
