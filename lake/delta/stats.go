package delta

// parsedStats are the statistics of one file as a checkpoint's stats_parsed column holds them.
type parsedStats struct{}
