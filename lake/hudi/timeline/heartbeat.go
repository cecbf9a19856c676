package timeline

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"sync"
	"time"

	"github.com/tarn-lake/tarn/storage"
)

// heartbeatDir holds a file for every write that is going on under the lazy
// policy of rolling back. The file's modification time is the last sign of life.
// Hudi's files are empty; ours name the process, as an array of JSON, so that
// its death is noticed at once on its machine.
const heartbeatDir = ".hoodie/.heartbeat"

// Pulse is how often a writer gives a sign of life, and how many signs may be
// missing before others hold it for dead. The zero value is Hudi's default.
type Pulse struct {
	Interval time.Duration // hoodie.client.heartbeat.interval_in_ms; zero is a minute
	Misses   int           // hoodie.client.heartbeat.tolerable.misses; zero is 2
}

func (p Pulse) interval() time.Duration {
	if p.Interval <= 0 {
		return time.Minute
	}
	return p.Interval
}

// limit is how old a sign of life may be.
func (p Pulse) limit() time.Duration {
	if p.Misses <= 0 {
		p.Misses = 2
	}
	return p.interval() * time.Duration(p.Misses)
}

// A Heartbeat keeps a write from being rolled back by others while it runs.
type Heartbeat struct {
	b    storage.Bucket
	name string
	stop context.CancelFunc
	done chan struct{}

	mu   sync.Mutex
	last time.Time // last sign of life that was written
	err  error     // of the last attempt since
	p    Pulse
}

// StartHeartbeat gives a sign of life of an instant at once, and again until Stop.
func StartHeartbeat(ctx context.Context, b storage.Bucket, instant string, p Pulse) (*Heartbeat, error) {
	beating, stop := context.WithCancel(context.WithoutCancel(ctx))
	h := &Heartbeat{b: b, name: path.Join(heartbeatDir, instant), stop: stop, done: make(chan struct{}), p: p}
	if err := h.beat(ctx); err != nil {
		stop()
		return nil, fmt.Errorf("heartbeat of %s: %w", instant, err)
	}
	go func() {
		defer close(h.done)
		tick := time.NewTicker(p.interval())
		defer tick.Stop()
		for {
			select {
			case <-beating.Done():
				return
			case <-tick.C:
				h.beat(beating)
			}
		}
	}()
	return h, nil
}

func (h *Heartbeat) beat(ctx context.Context) error {
	at := time.Now()
	said, err := json.Marshal(self().list())
	if err == nil {
		err = storage.WriteFile(ctx, h.b, h.name, storage.Replace, said)
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.err = err; err == nil {
		h.last = at
	}
	return err
}

// Check fails if others may hold the write for dead by now: it must not commit.
func (h *Heartbeat) Check() error {
	h.mu.Lock()
	defer h.mu.Unlock()
	if age := time.Since(h.last); age > h.p.limit() {
		return errors.Join(fmt.Errorf("heartbeat %s: the last is %s old, others may have rolled back this write", h.name, age.Round(time.Second)), h.err)
	}
	return nil
}

// Stop ends the signs of life and removes their file.
func (h *Heartbeat) Stop(ctx context.Context) error {
	h.stop()
	<-h.done
	return h.b.Remove(ctx, h.name)
}

// Alive says whether the writer of an instant has given a sign of life in time,
// and is no process of this machine that has ended.
func Alive(ctx context.Context, b storage.Bucket, instant string, now time.Time, p Pulse) (bool, error) {
	_, alive, err := SignsOfLife(ctx, b, instant, now, p)
	return alive, err
}

// Self names this process, for others to ask Left about it.
func Self() string {
	text, err := json.Marshal(self().list())
	if err != nil {
		return ""
	}
	return string(text)
}

// Left says whether a process, as Self names it, that was to go on with what a file says does not: it has ended, or the file is older than signs of life may be.
func Left(ctx context.Context, b storage.Bucket, file, process string, now time.Time, p Pulse) (bool, error) {
	var owner []string
	if json.Unmarshal([]byte(process), &owner) == nil && processOf(owner).dead() {
		return true, nil
	}
	_, modified, err := readStamped(ctx, b, file)
	if err != nil {
		return false, fmt.Errorf("age of %s: %w", file, err)
	}
	return now.Sub(modified) > p.limit(), nil
}

// SignsOfLife says whether the writer of an instant has given signs of life, and whether it is [Alive].
func SignsOfLife(ctx context.Context, b storage.Bucket, instant string, now time.Time, p Pulse) (given, alive bool, err error) {
	said, modified, err := readStamped(ctx, b, path.Join(heartbeatDir, instant))
	if errors.Is(err, fs.ErrNotExist) {
		return false, false, nil
	}
	if err != nil {
		return false, false, fmt.Errorf("heartbeat of %s: %w", instant, err)
	}
	var owner []string
	if json.Unmarshal(said, &owner) == nil && processOf(owner).dead() {
		return true, false, nil
	}
	return true, now.Sub(modified) <= p.limit(), nil
}

// RemoveHeartbeat removes the heartbeat of a write that is rolled back.
func RemoveHeartbeat(ctx context.Context, b storage.Bucket, instant string) error {
	return b.Remove(ctx, path.Join(heartbeatDir, instant))
}
