package timeline

import (
	"context"
	"path"
	"strings"
	"time"

	"github.com/tarn-lake/tarn/storage"
)

// Sweep removes what writers that were killed have left and nobody needs, if it was last written before the given time: markers and
// heartbeats of instants that are not pending, guards of lost locks, and files that were never finished.
func Sweep(ctx context.Context, b storage.Bucket, t *Timeline, before time.Time) error {
	pending := map[string]bool{}
	for _, i := range t.Pending() {
		pending[i.Time] = true
	}
	stale := map[string]bool{} // instants with markers
	var files []string
	for _, dir := range []string{heartbeatDir, tempDir} {
		for info, err := range b.List(ctx, dir, "") {
			if err != nil {
				return err
			}
			instant, _, _ := strings.Cut(strings.TrimPrefix(info.Name, dir+"/"), "/")
			switch {
			case pending[instant] || !info.ModTime.Before(before):
			case dir == tempDir:
				stale[instant] = true
			default:
				files = append(files, info.Name)
			}
		}
	}
	lock := (&FileLock{}).path()
	for info, err := range b.List(ctx, path.Dir(lock), lock) {
		if err != nil {
			return err
		}
		if !strings.HasPrefix(info.Name, lock) {
			break
		}
		if strings.HasPrefix(info.Name, lock+".release") && info.ModTime.Before(before) {
			files = append(files, info.Name)
		}
	}
	if len(files) > 0 {
		if err := b.Remove(ctx, files...); err != nil {
			return err
		}
	}
	for instant := range stale {
		if err := RemoveMarkers(ctx, b, instant); err != nil {
			return err
		}
	}
	if s, ok := storage.As[storage.Sweeper](b); ok {
		_, err := s.Sweep(ctx, "", before)
		return err
	}
	return nil
}
