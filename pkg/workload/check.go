package workload

import (
	"errors"
	"fmt"
	"math"

	"github.com/swapgate/swapgate/pkg/swap"
)

const (
	// imagePromptTokens is the length of an image's prompt that the settings do not give: a sentence, which every text encoder
	// takes whole (CLIP's holds 77 tokens).
	imagePromptTokens = 24
	// longestAudioSeconds bounds the recordings, which are held in memory: an hour is 115 MB.
	longestAudioSeconds = 3600
)

// withDefaults fills in lengths that a workload may leave out.
func withDefaults(w swap.Workload) swap.Workload {
	if w.API == swap.APIImages && w.PromptFile == "" && w.InputTokens == (swap.Lengths{}) {
		w.InputTokens = swap.Lengths{Median: imagePromptTokens}
	}
	return w
}

func check(w swap.Workload) error {
	if w.API.Unit() == swap.UnitTokens {
		if err := checkLengths("output_tokens", w.OutputTokens); err != nil {
			return err
		}
	}
	if w.PromptFile == "" && w.API != swap.APITranscriptions {
		if err := checkLengths("input_tokens", w.InputTokens); err != nil {
			return err
		}
	}
	return errors.Join(checkMedia(w), checkTopology(w.Topology))
}

func checkLengths(field string, l swap.Lengths) error {
	switch {
	case l.Median < 1:
		return fmt.Errorf("workload.%s.median is %d; it must be at least 1", field, l.Median)
	case l.Sigma < 0 || math.IsNaN(l.Sigma):
		return fmt.Errorf("workload.%s.sigma is %g; it must not be negative", field, l.Sigma)
	case l.Max > 0 && l.Min > l.Max:
		return fmt.Errorf("workload.%s.min (%d) is above max (%d)", field, l.Min, l.Max)
	}
	return nil
}

func checkMedia(w swap.Workload) error {
	switch {
	case w.API == swap.APIImages && w.Image == nil:
		return errors.New("workload.image is missing; api images needs the size of the images to ask for")
	case w.API == swap.APIImages && (w.Image.Width < 1 || w.Image.Height < 1):
		return fmt.Errorf("workload.image is %d by %d pixels; both must be at least 1", w.Image.Width, w.Image.Height)
	case w.API == swap.APITranscriptions:
		return checkAudio(w.AudioSeconds)
	}
	return nil
}

func checkAudio(seconds *swap.Lengths) error {
	if seconds == nil {
		return errors.New("workload.audio_seconds is missing; api transcriptions needs the length of the recordings to send")
	}
	if err := checkLengths("audio_seconds", *seconds); err != nil {
		return err
	}
	if seconds.Max < 1 || seconds.Max > longestAudioSeconds {
		return fmt.Errorf("workload.audio_seconds.max is %d; it must be from 1 to %d, as recordings are held in memory",
			seconds.Max, longestAudioSeconds)
	}
	return nil
}

func checkTopology(t *swap.Topology) error {
	if t == nil {
		return nil
	}
	switch t.Shape {
	case swap.ShapeSession, swap.ShapeStar, swap.ShapeRing:
	default:
		return fmt.Errorf("workload.topology.shape is %q; it must be session, star or ring", t.Shape)
	}
	if t.Size < 2 {
		return fmt.Errorf("workload.topology.size is %d; it must be at least 2", t.Size)
	}
	return nil
}
