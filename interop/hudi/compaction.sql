-- Compactions planned by one and carried out by the other, with writes between, and one that tarn was stopped in.
-- mor
-- set hoodie.compact.inline=false
-- set hoodie.parquet.small.file.limit=0
-- tarn
CREATE TABLE {t} (id INT, name STRING, price DOUBLE, ts BIGINT, region STRING) {create};
INSERT INTO {t} VALUES (1, 'one', 1.5, 10, 'eu'), (2, 'two', 2.5, 10, 'eu'), (3, 'three', 3.5, 10, 'us'), (4, 'four', 4.5, 10, 'us');
UPDATE {t} SET price = price + 1, ts = 20 WHERE id IN (1, 3);
CALL run_compaction(op => 'schedule', table => '{t}');
UPDATE {t} SET price = price + 1, ts = 30 WHERE id IN (1, 4);
-- check
-- hudi
UPDATE {t} SET name = 'two by hudi', ts = 40 WHERE id = 2;
CALL run_compaction(op => 'run', table => '{t}');
-- check
-- hudi
UPDATE {t} SET name = 'hudi', ts = 50 WHERE id IN (1, 2);
DELETE FROM {t} WHERE id = 4;
CALL run_compaction(op => 'schedule', table => '{t}');
UPDATE {t} SET name = 'hudi again', ts = 60 WHERE id = 1;
-- check
-- tarn
UPDATE {t} SET price = 0.5, ts = 70 WHERE id = 3;
CALL run_compaction(op => 'execute', table => '{t}');
-- check
-- tarn
INSERT INTO {t} VALUES (1, 'tarn', 1.5, 80, 'eu'), (5, 'five', 5.5, 80, 'us');
-- tarn stopped ^\.hoodie/(timeline/)?\d+(_\d+)?\.commit$
CALL run_compaction(op => 'run', table => '{t}');
-- check
-- hudi
UPDATE {t} SET price = 9.5, ts = 90 WHERE id = 1;
CALL run_compaction(op => 'run', table => '{t}');
-- check
-- tarn
DELETE FROM {t} WHERE id = 2;
CALL run_clean(table => '{t}', retain_commits => 1);
-- check
-- hudi
CALL run_clean(table => '{t}', retain_commits => 1);
UPDATE {t} SET price = 8.5, ts = 100 WHERE id = 5;
-- check
