-- Column and partition statistics and bloom filters in the metadata table, kept and skipped by on both sides.
-- property hoodie.metadata.index.column.stats.enable=true
-- property hoodie.metadata.index.bloom.filter.enable=true
-- property hoodie.metadata.index.partition.stats.enable=true -- from 1.0.2
-- set hoodie.parquet.small.file.limit=0
-- tarn
CREATE TABLE {t} (id INT, name STRING, price DOUBLE, ts BIGINT, region STRING) {create};
INSERT INTO {t} VALUES (1, 'Ärger', 1.5, 10, 'eu'), (2, 'beta', 2.5, 10, 'eu'), (3, 'gamma', 3.5, 10, 'us'), (4, '', -4.5, 10, 'us');
INSERT INTO {t} VALUES (11, 'kappa', 11.5, 20, 'eu'), (12, NULL, NULL, 20, 'us'), (13, '😀', 1e300, 20, 'asia');
UPDATE {t} SET price = 100, ts = 30 WHERE id = 2;
-- check
-- same
SELECT * FROM {t} WHERE price > 50;
SELECT * FROM {t} WHERE price < 2 AND name >= 'A';
SELECT * FROM {t} WHERE name = '😀' OR name IS NULL;
SELECT * FROM {t} WHERE region = 'us' AND id > 3;
-- hudi
INSERT INTO {t} (id, name, price, ts, region) VALUES (21, 'omega', 21.5D, 40L, 'eu'), (1, 'alpha', -7.5D, 40L, 'eu'), (22, 'zeta', 0D, 40L, 'us');
UPDATE {t} SET price = 200, ts = 50 WHERE id = 11;
DELETE FROM {t} WHERE id = 13;
-- check
-- same
SELECT * FROM {t} WHERE price > 50;
SELECT * FROM {t} WHERE price < 0;
SELECT * FROM {t} WHERE name = '😀' OR name IS NULL OR name = 'omega';
SELECT * FROM {t} WHERE region = 'us' AND id > 3;
-- tarn
UPDATE {t} SET price = 300, ts = 60 WHERE id IN (3, 22);
DELETE FROM {t} WHERE id = 2;
INSERT INTO {t} VALUES (31, 'ny', 31.5, 60, 'asia');
CALL run_compaction(op => 'run', table => '{t}'); -- mor
-- check
-- same
SELECT * FROM {t} WHERE price > 50;
SELECT * FROM {t} WHERE price BETWEEN 30 AND 40;
SELECT * FROM {t} WHERE id = 2 OR id = 21;
-- hudi
UPDATE {t} SET name = 'sigma', ts = 70 WHERE id IN (12, 31);
-- check
-- same
SELECT * FROM {t} WHERE name IS NULL OR name = 'sigma';
SELECT * FROM {t} WHERE region = 'asia' AND price > 31;
