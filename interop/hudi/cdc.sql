-- A table that records changes: tarn and Hudi give the same change rows, of what either wrote.
-- from 0.15.0
-- property hoodie.table.cdc.enabled=true
-- property hoodie.table.cdc.supplemental.logging.mode=DATA_BEFORE_AFTER
-- tarn
CREATE TABLE {t} (id INT, name STRING, price DOUBLE, amount DECIMAL(10,2), day DATE, tags ARRAY<STRING>, ts BIGINT, region STRING) {create};
INSERT INTO {t} VALUES (1, 'one', 1.5, 1.25, DATE '2024-01-01', array('a', 'b'), 10, 'eu'), (2, 'two', 2.5, -2.25, NULL, array(), 10, 'eu'), (3, 'drei ÄÖ', NULL, NULL, DATE '2024-01-02', NULL, 10, 'us');
INSERT INTO {t} VALUES (1, 'one again', 1.75, 1.25, DATE '2024-02-01', array('c'), 20, 'eu'), (4, 'four', 4.5, 99999999.99, NULL, NULL, 20, 'eu'), (5, 'five', 5.5, 5, NULL, NULL, 20, 'asia');
UPDATE {t} SET name = 'three', ts = 30 WHERE id = 3;
DELETE FROM {t} WHERE id = 2;
MERGE INTO {t} t USING (SELECT * FROM VALUES (1, 'merged', 40L), (4, 'gone', 40L), (6, 'six', 40L) AS s(id, name, ts)) s ON t.id = s.id
  WHEN MATCHED AND s.name = 'gone' THEN DELETE
  WHEN MATCHED THEN UPDATE SET name = s.name, ts = s.ts
  WHEN NOT MATCHED THEN INSERT (id, name, ts, region) VALUES (s.id, s.name, s.ts, 'eu');
-- check
-- hudi
INSERT INTO {t} (id, name, price, amount, day, tags, ts, region) VALUES (6, 'six by hudi', 6.5D, 6.25BD, DATE '2024-06-06', array('h'), 50L, 'eu'), (7, 'seven', 7.5D, 7BD, NULL, NULL, 50L, 'eu');
UPDATE {t} SET price = 1.0D, ts = 60 WHERE id = 1;
DELETE FROM {t} WHERE id = 5;
CALL run_compaction(op => 'schedule', table => '{t}'); -- mor
CALL run_compaction(op => 'run', table => '{t}'); -- mor
-- check
-- tarn
UPDATE {t} SET name = 'one by tarn', ts = 70 WHERE id = 1;
DELETE FROM {t} WHERE id = 7;
-- check
