package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/swapgate/swapgate/pkg/load/rawlog"
	"github.com/swapgate/swapgate/pkg/runstore"
)

// summariseFiles reads the files one after another. A request that is there twice would count twice, so it is an error.
func summariseFiles(files []string, p rawlog.Profile) ([]rawlog.ArmMetrics, error) {
	for _, file := range files {
		if err := checkFile(file); err != nil {
			return nil, err
		}
	}
	summary, seen := rawlog.NewProfileSummary(p), placesSeen{}
	for _, file := range files {
		measured, _ := runstore.MeasuredTimeOf(file)
		summary.Begin(measured)
		blocks := map[place]bool{}
		err := runstore.EachFileRecord(file, func(rows []rawlog.Record) error {
			for i := range rows {
				summary.Add(&rows[i])
				blocks[placeOf(&rows[i])] = true
			}
			return nil
		})
		if err != nil {
			return nil, &exitError{code: exitUsage, message: err.Error(), next: []string{
				"give tables of requests (requests.parquet) that this version wrote",
			}}
		}
		if err := seen.add(file, blocks); err != nil {
			return nil, err
		}
	}
	return summary.Arms(), nil
}

// checkFile says what is wrong with a path before anything is read.
func checkFile(path string) error {
	info, err := os.Stat(path)
	switch {
	case err == nil && info.IsDir():
		return unusableFile(path+": is a folder", "give the tables in it, such as "+filepath.Join(path, "*", "*", "requests.parquet"))
	case errors.Is(err, fs.ErrNotExist) && strings.ContainsAny(path, "*?["):
		return unusableFile(path+": no file matches", "check the pattern; a block's table is block-NNN-ARM/ATTEMPT/requests.parquet")
	case errors.Is(err, fs.ErrNotExist):
		return unusableFile(path+": no such file",
			"check the path; tables of a run are in its store, and have to be copied to this machine first")
	case err != nil:
		return unusableFile(err.Error(), "check the path and who may read it")
	}
	return nil
}

func unusableFile(message, next string) error {
	return &exitError{code: exitUsage, message: message, next: []string{next}}
}

// place is the block of a request, and the worker that sent it. Rollout windows have no block.
type place struct{ step, block, shard int32 }

func placeOf(r *rawlog.Record) place { return place{r.Step, r.Block, r.Shard} }

// placesSeen remembers which file requests of a block were in.
type placesSeen map[place]string

func (s placesSeen) add(file string, blocks map[place]bool) error {
	for at := range blocks {
		if first, ok := s[at]; ok && at.block > 0 {
			return &exitError{
				code: exitUsage, message: fmt.Sprintf("block %d of step %d is in %s and in %s", at.block, at.step, first, file), next: []string{
					"of two runs: give the tables of one run at a time",
					"of one run:  give the table that counts; sealed.json beside the attempts at a block names it",
				},
			}
		}
		s[at] = file
	}
	return nil
}
