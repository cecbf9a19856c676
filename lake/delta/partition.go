package delta

import (
	"fmt"
	"time"

	"github.com/tarn-lake/tarn/types"
)

// parsePartition reads a partition value of the log as a value of t (P §Partition Value Serialization). NULL and the empty
// text are NULL. A timestamp without a zone, as writers had them before, is of zone.
func parsePartition(text *string, t types.Type, zone *time.Location) (types.Value, error) {
	if text == nil || *text == "" {
		return nil, nil
	}
	v, err := types.ParseText(*text, t, zone)
	if err != nil {
		return nil, fmt.Errorf("partition value %q is no %s: %w", *text, t, err)
	}
	return v, nil
}
