-- A table that stores no keys (hoodie.populate.meta.fields=false). Hudi's optimized UPDATE and DELETE need stored keys,
-- and up to 1.0 it does not read the logs of such tables.
-- from 0.15.0
-- cow
-- set hoodie.spark.sql.optimized.writes.enable=false
-- property hoodie.populate.meta.fields=false
-- tarn
CREATE TABLE {t} (id INT, name STRING, price DOUBLE, ts BIGINT, region STRING) {create};
INSERT INTO {t} VALUES (1, 'one', 1.5, 10, 'eu'), (2, 'two', 2.5, 10, 'eu'), (3, 'drei ÄÖ', NULL, 10, 'us'), (4, '', 4.5, 10, 'us');
INSERT INTO {t} VALUES (1, 'one again', 1.75, 20, 'eu'), (5, 'five', 5.5, 20, 'eu');
UPDATE {t} SET name = 'three', ts = 30 WHERE id = 3;
DELETE FROM {t} WHERE id = 4;
-- check
-- hudi
INSERT INTO {t} (id, name, price, ts, region) VALUES (2, 'two by hudi', 2.75D, 40L, 'eu'), (6, 'six', 6.5D, 40L, 'us');
UPDATE {t} SET price = 3.5D, ts = 40 WHERE id = 3;
DELETE FROM {t} WHERE id = 5;
-- check
-- tarn
MERGE INTO {t} t USING (SELECT * FROM VALUES (2, 'merged', 50L), (6, 'gone', 50L), (7, 'seven', 50L) AS s(id, name, ts)) s ON t.id = s.id
  WHEN MATCHED AND s.name = 'gone' THEN DELETE
  WHEN MATCHED THEN UPDATE SET name = s.name, ts = s.ts
  WHEN NOT MATCHED THEN INSERT (id, name, ts, region) VALUES (s.id, s.name, s.ts, 'eu');
CALL run_compaction(op => 'run', table => '{t}'); -- mor
CALL run_clustering(table => '{t}');
-- check
-- hudi
INSERT INTO {t} (id, name, price, ts, region) VALUES (7, 'seven by hudi', 7.5D, 60L, 'eu'), (8, 'eight', 8.5D, 60L, 'us');
-- check
-- tarn
INSERT OVERWRITE {t} VALUES (1, 'over', 1.0, 70, 'eu'), (9, 'nine', 9.5, 70, 'us');
-- check
-- hudi
INSERT INTO {t} (id, name, price, ts, region) VALUES (1, 'by hudi', 1.25D, 80L, 'eu');
-- check
