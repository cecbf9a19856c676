-- short: Hudi makes and changes a table, tarn goes on, Hudi goes on.
-- hudi
CREATE TABLE {t} (id INT, name STRING, price DOUBLE, amount DECIMAL(10,2), d DATE, at TIMESTAMP, tags ARRAY<STRING>, ts BIGINT, region STRING) {create};
INSERT INTO {t} SELECT 1, 'one', 1.5D, CAST(1.25 AS DECIMAL(10,2)), DATE '2024-01-01', TIMESTAMP '2024-01-01 10:00:00.123456', array('a', 'b'), 10L, 'eu';
INSERT INTO {t} SELECT 2, 'two', 2.5D, CAST(-2.25 AS DECIMAL(10,2)), NULL, NULL, NULL, 10L, 'us';
UPDATE {t} SET name = 'one again', ts = 20 WHERE id = 1;
-- check
-- tarn
INSERT INTO {t} VALUES (3, 'three', 3.5, 3.33, DATE '2024-03-03', TIMESTAMP '2024-03-03 03:03:03', array('t'), 30, 'eu'), (2, 'two by tarn', 2.75, 0.02, NULL, NULL, NULL, 30, 'us');
UPDATE {t} SET amount = amount + 1, ts = 40 WHERE id = 1;
-- check
-- hudi
UPDATE {t} SET price = 9.5, ts = 50 WHERE id = 3;
INSERT INTO {t} SELECT 4, 'four', 4.5D, CAST(4.44 AS DECIMAL(10,2)), DATE '2024-04-04', TIMESTAMP '2024-04-04 04:04:04', array('f'), 50L, 'us';
-- check
-- tarn
DELETE FROM {t} WHERE id = 2;
CALL run_compaction(op => 'scheduleAndExecute', table => '{t}'); -- mor
CALL run_clean(table => '{t}', retain_commits => 1);
-- check
-- hudi
UPDATE {t} SET name = 'last', ts = 60 WHERE id = 1;
DELETE FROM {t} WHERE id = 4;
-- check
