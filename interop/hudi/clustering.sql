-- Clustering by tarn and by Hudi, whole, of the other's plan, and after the other was stopped in it.
-- set hoodie.parquet.small.file.limit=0
-- tarn
CREATE TABLE {t} (id INT, name STRING, price DOUBLE, ts BIGINT, region STRING) {create};
INSERT INTO {t} VALUES (1, 'one', 1.5, 10, 'eu'), (4, 'four', 4.5, 10, 'us');
INSERT INTO {t} VALUES (2, 'two', 2.5, 10, 'eu'), (5, 'five', 5.5, 10, 'us');
INSERT INTO {t} VALUES (3, 'three', 3.5, 10, 'eu'), (6, 'six', 6.5, 10, 'us');
CALL run_clustering(table => '{t}', order => 'price');
-- check
-- hudi
UPDATE {t} SET price = 9.5, ts = 20 WHERE id IN (1, 6);
INSERT INTO {t} (id, name, price, ts, region) VALUES (7, 'seven', 7.5D, 20L, 'eu'), (8, 'eight', 8.5D, 20L, 'us');
CALL run_clustering(table => '{t}', order => 'ts'); -- from 0.15.0
CALL run_clustering(table => '{t}', order => 'ts'); -- to 0.12.2 -- cow
CALL run_clustering(table => '{t}', order => 'ts'); -- to 0.12.2 -- plain -- mor
-- check
-- tarn
UPDATE {t} SET name = 'changed by tarn', ts = 30 WHERE id IN (2, 8);
DELETE FROM {t} WHERE id = 3;
INSERT INTO {t} VALUES (9, 'nine', 9.5, 30, 'eu'), (10, 'ten', 10.5, 30, 'us');
-- check
-- tarn -- from 0.15.0
CALL run_clustering(table => '{t}', op => 'schedule', order => 'id');
-- hudi -- from 0.15.0
INSERT INTO {t} (id, name, price, ts, region) VALUES (11, 'eleven', 11.5D, 40L, 'eu');
CALL run_clustering(table => '{t}', op => 'execute');
-- check
-- hudi -- from 0.15.0
INSERT INTO {t} (id, name, price, ts, region) VALUES (12, 'twelve', 12.5D, 50L, 'us');
CALL run_clustering(table => '{t}', op => 'schedule', order => 'id');
-- tarn -- from 0.15.0
INSERT INTO {t} VALUES (13, 'thirteen', 13.5, 50, 'eu');
CALL run_clustering(table => '{t}', op => 'execute');
UPDATE {t} SET price = 0, ts = 60 WHERE id IN (12, 13);
-- check
-- tarn stopped ^\.hoodie/(timeline/)?\d+(_\d+)?\.replacecommit$
CALL run_clustering(table => '{t}', order => 'name');
-- check
-- hudi
INSERT INTO {t} (id, name, price, ts, region) VALUES (14, 'fourteen', 14.5D, 70L, 'eu');
CALL run_clustering(table => '{t}'); -- to 0.12.2
CALL run_clustering(table => '{t}', op => 'execute'); -- from 0.15.0
UPDATE {t} SET price = 1, ts = 80 WHERE id > 5;
-- check
-- tarn
DELETE FROM {t} WHERE id = 14;
CALL run_clean(table => '{t}', retain_commits => 1);
-- check
-- hudi
CALL run_clean(table => '{t}', retain_commits => 1);
UPDATE {t} SET price = 2, ts = 90 WHERE id = 1;
-- check
