-- short
-- spark
CREATE TABLE {t} USING delta PARTITIONED BY (k) TBLPROPERTIES ('delta.enableDeletionVectors' = 'false') AS SELECT id, CAST(id % 4 AS INT) AS k, named_struct('a', id, 'b', array(id, id + 1)) AS st FROM range(0, 500);
-- check
-- tarn
MERGE INTO {t} t USING (SELECT id * 3 AS id FROM range(0, 250)) s ON t.id = s.id AND t.k < 3
  WHEN MATCHED AND t.k = 0 THEN DELETE
  WHEN MATCHED THEN UPDATE SET k = t.k + 1
  WHEN NOT MATCHED THEN INSERT (id, k, st) VALUES (s.id, 9, NULL)
  WHEN NOT MATCHED BY SOURCE AND t.id % 50 = 1 THEN DELETE;
-- check
-- spark
UPDATE {t} SET k = 7 WHERE id = 4;
DELETE FROM {t} WHERE k = 9;
-- check
-- tarn
UPDATE {t} SET k = 8 WHERE id % 17 = 0;
DELETE FROM {t} WHERE k = 7;
-- check
