-- A table that records changes: tarn and Hudi give the same change rows, of what either wrote. Hudi's JSON spoils decimals, dates and arrays.
-- from 0.15.0
-- set hoodie.clean.automatic=false
-- property hoodie.table.cdc.enabled=true
-- property hoodie.table.cdc.supplemental.logging.mode=DATA_BEFORE_AFTER
-- tarn
CREATE TABLE {t} (id INT, name STRING, price DOUBLE, ts BIGINT, region STRING) {create};
INSERT INTO {t} VALUES (1, 'one', 1.5, 10, 'eu'), (2, 'two', 2.5, 10, 'eu'), (3, 'drei ÄÖ', NULL, 10, 'us');
INSERT INTO {t} VALUES (1, 'one again', 1.75, 20, 'eu'), (4, 'four', 4.5, 20, 'eu'), (5, 'five', 5.5, 20, 'asia');
UPDATE {t} SET name = 'three', ts = 30 WHERE id = 3;
DELETE FROM {t} WHERE id = 2;
MERGE INTO {t} t USING (SELECT * FROM VALUES (1, 'merged', 40L), (4, 'gone', 40L), (6, 'six', 40L) AS s(id, name, ts)) s ON t.id = s.id
  WHEN MATCHED AND s.name = 'gone' THEN DELETE
  WHEN MATCHED THEN UPDATE SET name = s.name, ts = s.ts
  WHEN NOT MATCHED THEN INSERT (id, name, ts, region) VALUES (s.id, s.name, s.ts, 'eu');
-- check
-- hudi
INSERT INTO {t} (id, name, price, ts, region) VALUES (6, 'six by hudi', 6.5D, 50L, 'eu'), (7, 'seven', 7.5D, 50L, 'eu');
UPDATE {t} SET price = 1.0D, ts = 60 WHERE id = 1;
DELETE FROM {t} WHERE id = 5;
CALL run_compaction(op => 'schedule', table => '{t}'); -- mor
CALL run_compaction(op => 'run', table => '{t}'); -- mor
-- check
-- tarn
UPDATE {t} SET name = 'one by tarn', ts = 70 WHERE id = 1;
DELETE FROM {t} WHERE id = 7;
-- check
