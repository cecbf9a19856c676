-- short
-- tarn
CREATE TABLE {t} TBLPROPERTIES ('delta.enableDeletionVectors' = 'true') AS SELECT id, id % 10 AS k, concat('row ', CAST(id AS STRING)) AS s FROM range(0, 1000);
-- check
-- tarn
MERGE INTO {t} t USING (SELECT id * 7 AS id, id AS n FROM range(0, 200)) s ON t.id = s.id
  WHEN MATCHED AND s.n % 3 = 0 THEN DELETE
  WHEN MATCHED THEN UPDATE SET s = concat('changed ', CAST(s.n AS STRING))
  WHEN NOT MATCHED THEN INSERT (id, k, s) VALUES (s.id, -1, 'new');
-- check
-- spark
MERGE INTO {t} t USING (SELECT id * 5 AS id FROM range(0, 300)) s ON t.id = s.id
  WHEN MATCHED AND s.id % 2 = 0 THEN DELETE
  WHEN MATCHED THEN UPDATE SET k = 100
  WHEN NOT MATCHED THEN INSERT (id, k, s) VALUES (s.id, 0, 'spark');
-- check
-- tarn
DELETE FROM {t} WHERE id % 11 = 0;
UPDATE {t} SET k = k + 1 WHERE k = 3;
-- check
-- spark
DELETE FROM {t} WHERE id BETWEEN 100 AND 200;
UPDATE {t} SET s = 'u' WHERE id % 13 = 0;
-- check
