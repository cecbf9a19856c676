-- Writes that ended anywhere are rolled back by whoever writes next: tarn's by Hudi, Hudi's by tarn.
-- tarn
CREATE TABLE {t} (id INT, name STRING, price DOUBLE, ts BIGINT, region STRING) {create};
INSERT INTO {t} VALUES (1, 'one', 1.5, 10, 'eu'), (2, 'two', 2.5, 10, 'eu'), (3, 'three', 3.5, 10, 'us'), (4, 'four', 4.5, 10, 'us');
UPDATE {t} SET price = 2.25, ts = 11 WHERE id = 2;
-- tarn stopped ^\.hoodie/(timeline/)?\d+(_\d+)?\.(delta)?commit$
INSERT INTO {t} VALUES (1, 'never', 0.5, 20, 'eu'), (9, 'never', 0.5, 20, 'us');
-- check
-- hudi
INSERT INTO {t} (id, name, price, ts, region) VALUES (1, 'one by hudi', 1.75D, 30L, 'eu'), (5, 'five', 5.5D, 30L, 'us');
UPDATE {t} SET price = 5.75, ts = 31 WHERE id = 5; -- to 0.15.0
-- check
-- tarn stopped ^\.hoodie/metadata/\.hoodie/(timeline/)?\d+(_\d+)?\.deltacommit$
UPDATE {t} SET name = 'never', ts = 40 WHERE id < 5;
-- hudi
UPDATE {t} SET name = 'three by hudi', ts = 50 WHERE id = 3;
UPDATE {t} SET price = 5.25, ts = 51 WHERE id = 5; -- to 0.15.0
-- check
-- tarn stopped ^\.hoodie/(timeline/)?\d+\.((delta)?commit\.)?inflight$
DELETE FROM {t} WHERE id = 4;
-- hudi
DELETE FROM {t} WHERE id = 5;
UPDATE {t} SET price = 3.25, ts = 56 WHERE id = 3; -- to 0.15.0
-- check
-- hudi fails
SET hoodie.precommit.validators=org.apache.hudi.client.validator.SqlQuerySingleResultPreCommitValidator;
SET hoodie.precommit.validators.single.value.sql.queries=select count(*) from <TABLE_NAME>#999;
INSERT INTO {t} (id, name, price, ts, region) VALUES (2, 'never', 0.5D, 60L, 'eu'), (8, 'never', 0.5D, 60L, 'us');
-- hudi
RESET hoodie.precommit.validators;
RESET hoodie.precommit.validators.single.value.sql.queries;
-- check
-- tarn
INSERT INTO {t} VALUES (2, 'two by tarn', 2.125, 70, 'eu'), (6, 'six', 6.5, 70, 'us');
-- check
-- tarn stopped ^\.hoodie/(timeline/)?\d+(_\d+)?\.(delta)?commit$
UPDATE {t} SET price = 0, ts = 80 WHERE id > 0;
-- tarn
UPDATE {t} SET price = 6.75, ts = 90 WHERE id = 6;
-- check
-- hudi
UPDATE {t} SET price = 6.25, ts = 100 WHERE id = 6;
-- check
