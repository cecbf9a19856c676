package metadata

import (
	"context"
	"slices"
	"strings"

	"github.com/tarn-lake/tarn/lake/hudi/timeline"
)

// keptBases is how many base files of a file group a clean leaves: who reads an older one has had time since two compactions.
const keptBases = 3

const cleanPolicy = "KEEP_LATEST_FILE_VERSIONS"

// clean removes base files that newer ones have replaced, and the logs upon them.
func (w *Writer) clean(ctx context.Context) error {
	old, err := w.outdated(ctx)
	if err != nil || len(old) == 0 {
		return err
	}
	start := w.serviceTime()
	plan := &timeline.CleanPlan{Policy: cleanPolicy, Version: 2, LastCompletedCommitTimestamp: w.timeline.LastTime(),
		FilesToBeDeletedPerPartition: map[string][]string{}, FilePathsToBeDeletedPartition: map[string][]timeline.CleanFileInfo{}, PartitionsToBeDeleted: []string{}}
	done := &timeline.CleanMetadata{StartCleanTime: start, Version: 2, PartitionMetadata: map[string]timeline.CleanPartitionMetadata{}}
	var names []string
	for p, list := range old {
		m := timeline.CleanPartitionMetadata{PartitionPath: p, Policy: cleanPolicy, FailedDeleteFiles: []string{}}
		for _, path := range list {
			plan.FilePathsToBeDeletedPartition[p] = append(plan.FilePathsToBeDeletedPartition[p], timeline.CleanFileInfo{FilePath: path})
			name := strings.TrimPrefix(path, p+"/")
			m.DeletePathPatterns, m.SuccessDeleteFiles = append(m.DeletePathPatterns, name), append(m.SuccessDeleteFiles, name)
			names = append(names, path)
			done.TotalFilesDeleted++
		}
		done.PartitionMetadata[p] = m
	}
	i, err := w.timeline.RequestAt(ctx, timeline.Clean, start, plan)
	if err != nil {
		return err
	}
	if i, err = w.timeline.Begin(ctx, i, plan); err != nil {
		return err
	}
	if err := w.bucket.Remove(ctx, names...); err != nil {
		return err
	}
	if _, err := w.timeline.Complete(ctx, i, w.clock(), done); err != nil {
		return err
	}
	return w.reload(ctx)
}

// outdated are the files of slices that a clean removes, by partition.
func (w *Writer) outdated(ctx context.Context) (map[string][]string, error) {
	out := map[string][]string{}
	for _, p := range w.partitions {
		bases, logs, _, err := listFiles(ctx, w.bucket, p)
		if err != nil {
			return nil, err
		}
		for id, list := range bases {
			list = slices.DeleteFunc(list, func(f file) bool { _, ok := w.timeline.CompletionOf(f.instant); return !ok })
			slices.SortFunc(list, func(a, b file) int { return strings.Compare(a.instant, b.instant) })
			if len(list) <= keptBases {
				continue
			}
			first := list[len(list)-keptBases].instant
			for _, f := range list[:len(list)-keptBases] {
				out[p] = append(out[p], f.path)
			}
			for _, l := range logs[id] {
				if w.isBefore(l, first) {
					out[p] = append(out[p], l.path)
				}
			}
		}
	}
	return out, nil
}

// isBefore reports whether a log was merged into the base file of an instant.
func (w *Writer) isBefore(l file, base string) bool {
	if w.config.Layout < 2 {
		return l.instant < base
	}
	done, ok := w.timeline.CompletionOf(l.instant)
	return ok && done < base
}
