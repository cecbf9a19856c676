package tarn

import (
	"fmt"
	"testing"
)

// TestHudiKeepsNegativeZero: -0.0 stays what it is, in an ordering column too, whatever sorts the rows on their way.
func TestHudiKeepsNegativeZero(t *testing.T) {
	for _, kind := range []string{"cow", "mor"} {
		for _, version := range []string{"6", "9"} {
			t.Run(kind+version, func(t *testing.T) {
				s := utcDB(t).Session()
				for _, sql := range []string{
					fmt.Sprintf("CREATE TABLE t (id INT, o DOUBLE, f FLOAT) USING hudi TBLPROPERTIES (type='%s', primaryKey='id', preCombineField='o', 'hoodie.write.table.version'='%s')", kind, version),
					"INSERT INTO t SELECT id, -0.0D, CAST('-0' AS FLOAT) FROM range(3)",
					"CALL run_clustering(table => 't', order => 'o,f')",
					"UPDATE t SET f = f WHERE id = 1",
					"MERGE INTO t USING (SELECT 2 AS id, -0.0D AS o, CAST('-0' AS FLOAT) AS f) s ON t.id = s.id WHEN MATCHED THEN UPDATE SET *",
				} {
					if _, err := s.Exec(t.Context(), sql); err != nil {
						t.Fatalf("%s: %v", sql, err)
					}
					if sql[0] == 'C' && sql[1] == 'R' {
						continue
					}
					rows := textRows(t, s, "SELECT concat(CAST(o AS STRING), ' ', CAST(f AS STRING)) FROM t ORDER BY o, f")
					for _, r := range rows {
						if r != "-0.0 -0.0" {
							t.Errorf("after %s: %s", sql, r)
						}
					}
					if len(rows) != 3 {
						t.Errorf("after %s: %d rows", sql, len(rows))
					}
				}
			})
		}
	}
}
