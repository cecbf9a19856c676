-- Savepoints, restores and rollbacks of the other's commits.
-- tarn
CREATE TABLE {t} (id INT, name STRING, price DOUBLE, ts BIGINT, region STRING) {create};
INSERT INTO {t} VALUES (1, 'one', 1.5, 10, 'eu'), (2, 'two', 2.5, 10, 'us');
UPDATE {t} SET price = 1.25, ts = 11 WHERE id = 1;
-- tarn
CALL create_savepoint(table => '{t}', commit_time => '{instant:1}');
-- hudi
INSERT INTO {t} (id, name, price, ts, region) VALUES (3, 'three', 3.5D, 20L, 'eu'), (2, 'two by hudi', 2.75D, 20L, 'us');
UPDATE {t} SET name = 'one by hudi', ts = 30 WHERE id = 1;
-- check
-- tarn
CALL rollback_to_instant(table => '{t}', instant_time => '{instant:-1}');
-- check
-- hudi
UPDATE {t} SET name = 'one again', ts = 35 WHERE id = 1;
-- check
-- tarn
CALL rollback_to_savepoint(table => '{t}', instant_time => '{instant:1}');
-- check
-- hudi
INSERT INTO {t} (id, name, price, ts, region) VALUES (4, 'four', 4.5D, 40L, 'eu'), (2, 'two again', 2.125D, 40L, 'us');
-- hudi
CALL create_savepoint(table => '{t}', commit_time => '{instant:-1}');
-- check
-- tarn
UPDATE {t} SET price = 9, ts = 50 WHERE id < 5;
INSERT INTO {t} VALUES (5, 'five', 5.5, 50, 'eu');
-- check
-- hudi
CALL rollback_to_instant(table => '{t}', instant_time => '{instant:-1}');
-- check
-- tarn
INSERT INTO {t} VALUES (6, 'six', 6.5, 60, 'us');
DELETE FROM {t} WHERE id = 4;
-- check
-- tarn
CALL rollback_to_savepoint(table => '{t}', instant_time => '{instant:2}');
UPDATE {t} SET price = 8, ts = 70 WHERE id = 4;
-- check
-- hudi
UPDATE {t} SET price = 7, ts = 80 WHERE id = 4;
CALL delete_savepoint(table => '{t}', instant_time => '{instant:2}');
-- check
-- tarn
CALL delete_savepoint(table => '{t}', instant_time => '{instant:1}');
CALL run_clean(table => '{t}', retain_commits => 1);
-- check
