-- Overwritten tables and dropped partitions of one, with which the other goes on.
-- tarn
CREATE TABLE {t} (id INT, name STRING, price DOUBLE, ts BIGINT, region STRING) {create};
INSERT INTO {t} VALUES (1, 'one', 1.5, 10, 'eu'), (2, 'two', 2.5, 10, 'eu'), (3, 'three', 3.5, 10, 'us'), (4, 'four', 4.5, 10, 'asia');
INSERT OVERWRITE {t} VALUES (2, 'two anew', 2.25, 20, 'eu'), (5, 'five', 5.5, 20, 'us');
-- check
-- hudi
UPDATE {t} SET price = 9.5, ts = 30 WHERE id = 2;
INSERT INTO {t} (id, name, price, ts, region) VALUES (6, 'six', 6.5D, 30L, 'eu'), (5, 'five by hudi', 5.75D, 30L, 'us'), (3, 'three again', 3.25D, 30L, 'us');
-- check
-- hudi
INSERT OVERWRITE {t} SELECT 7, 'seven', 7.5D, 40L, 'eu' UNION ALL SELECT 3, 'three by hudi', 3.75D, 40L, 'us';
-- check
-- tarn
UPDATE {t} SET price = price + 1, ts = 50 WHERE id = 7;
INSERT INTO {t} VALUES (8, 'eight', 8.5, 50, 'eu'), (9, 'nine', 9.5, 50, 'us');
-- check
-- tarn
CALL drop_partition(table => '{t}', partition => '{eu}'); -- parts
INSERT OVERWRITE {t} PARTITION (region = 'us') VALUES (10, 'ten', 10.5, 60); -- parts
-- check
-- hudi
INSERT INTO {t} (id, name, price, ts, region) VALUES (7, 'seven back', 7.25D, 70L, 'eu'), (10, 'ten by hudi', 10.75D, 70L, 'us');
-- check
-- hudi
ALTER TABLE {t} DROP PARTITION (region = 'eu'); -- parts
INSERT OVERWRITE {t} PARTITION (region = 'us') SELECT 11, 'eleven', 11.5D, 80L; -- parts
-- check
-- tarn
INSERT INTO {t} VALUES (7, 'seven by tarn', 7.5, 90, 'eu'), (12, 'twelve', 12.5, 90, 'us');
CALL run_clean(table => '{t}', retain_commits => 1);
-- check
-- hudi
CALL run_clean(table => '{t}', retain_commits => 1);
UPDATE {t} SET price = 0.5, ts = 100 WHERE id = 7;
-- check
