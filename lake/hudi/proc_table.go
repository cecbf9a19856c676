package hudi

import (
	"context"
	"maps"
	"slices"

	"github.com/tarn-lake/tarn/lake"
	"github.com/tarn-lake/tarn/types"
)

// tableProcedures tell and change what kind of table it is.
func tableProcedures() []procedure {
	return []procedure{
		{"show_table_properties", "Shows hoodie.properties.", []lake.Param{tableParam(), pathParam(), limitParam(-1)}, columns("key", "value"), showTableProperties},
	}
}

func showTableProperties(_ context.Context, c *call) ([][]types.Value, error) {
	var rows [][]types.Value
	for _, k := range slices.Sorted(maps.Keys(c.config.Properties)) {
		rows = append(rows, []types.Value{k, c.config.Properties[k]})
	}
	return rows, nil
}
