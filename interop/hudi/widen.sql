-- Rows with new columns and wider types: old files keep the narrower numbers.
-- from 0.15.0
-- tarn
CREATE TABLE {t} (id INT, n INT, f FLOAT, k INT, ts BIGINT, region STRING) {create};
INSERT INTO {t} VALUES (1, 10, 1.5, 100, 10, 'eu'), (2, 20, 2.5, 200, 10, 'eu'), (3, 30, 3.5, 300, 10, 'us');
UPDATE {t} SET n = 21, ts = 15 WHERE id = 2;
INSERT WITH SCHEMA EVOLUTION INTO {t} BY NAME SELECT 1 AS id, 10000000000L AS n, 1.25D AS f, 0.5D AS k, 20L AS ts, 'eu' AS region, 'new' AS extra;
-- check
-- hudi
INSERT INTO {t} (id, n, f, k, ts, extra, region) VALUES (2, 20000000000L, 2.25D, 2.5D, 30L, 'hudi', 'eu'), (4, 40L, 4.5D, 4.5D, 30L, NULL, 'us');
-- check
-- tarn
UPDATE {t} SET n = n + 1, ts = 40 WHERE id <> 4;
-- check
