package workload

import "github.com/swapgate/swapgate/pkg/swap"

// wordsPerSecond is the pace of read speech, 150 words a minute.
const wordsPerSecond = 2.5

// imageWork is the pixels of an image times its denoising steps; one step where the server decides.
func imageWork(m swap.ImageAsk) float64 {
	return float64(m.Width) * float64(m.Height) * float64(max(1, m.Steps))
}

// speechSeconds estimates how long a text takes to say.
func speechSeconds(tokens int) float64 { return float64(tokens) / tokensPerWord / wordsPerSecond }
